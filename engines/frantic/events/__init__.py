"""The events, by what they do; those about other events live in `calling.py`."""

from collections.abc import Mapping

from engines.frantic.event import Event
from engines.frantic.events.accounts import (
    double_taxation,
    identity_theft,
    seppuku,
)
from engines.frantic.events.bidding import gambling_man
from engines.frantic.events.discarding import (
    mating_season,
    mexican_standoff,
    recession,
    vandalism,
)
from engines.frantic.events.distributing import distributor, tornado
from engines.frantic.events.drawing import (
    capitalism,
    communism,
    expansion,
    third_time_lucky,
)
from engines.frantic.events.effect import Effect
from engines.frantic.events.giving import charity, crowdfunding, trust_fall
from engines.frantic.events.lasting import (
    doomsday,
    finish_line,
    friday_the_13th,
    last_chance,
    plus_one,
    time_bomb,
)
from engines.frantic.events.passing import black_hole, earthquake, robin_hood
from engines.frantic.events.showing import all_seeing_eye, market
from engines.frantic.events.together import (
    merry_christmas,
    russian_roulette,
    surprise_party,
)

EVENTS: Mapping[Event, Effect] = {
    Event.BLACK_HOLE: black_hole,
    Event.CAPITALISM: capitalism,
    Event.CHARITY: charity,
    Event.COMMUNISM: communism,
    Event.CROWDFUNDING: crowdfunding,
    Event.DISTRIBUTOR: distributor,
    Event.DOOMSDAY: doomsday,
    Event.DOUBLE_TAXATION: double_taxation,
    Event.EARTHQUAKE: earthquake,
    Event.EXPANSION: expansion,
    Event.FINISH_LINE: finish_line,
    Event.FRIDAY: friday_the_13th,
    Event.GAMBLING_MAN: gambling_man,
    Event.IDENTITY_THEFT: identity_theft,
    Event.LAST_CHANCE: last_chance,
    Event.MARKET: market,
    Event.MATING_SEASON: mating_season,
    Event.MERRY_CHRISTMAS: merry_christmas,
    Event.MEXICAN_STANDOFF: mexican_standoff,
    Event.PLUS_ONE: plus_one,
    Event.RECESSION: recession,
    Event.ROBIN_HOOD: robin_hood,
    Event.RUSSIAN_ROULETTE: russian_roulette,
    Event.SEPPUKU: seppuku,
    Event.SURPRISE_PARTY: surprise_party,
    Event.ALL_SEEING_EYE: all_seeing_eye,
    Event.THIRD_TIME_LUCKY: third_time_lucky,
    Event.TIME_BOMB: time_bomb,
    Event.TORNADO: tornado,
    Event.TRUST_FALL: trust_fall,
    Event.VANDALISM: vandalism,
}
