"""HTTPS in a home without internet: real sockets, real TLS, Python's own verifier."""

from __future__ import annotations

import socket
import ssl
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from flask import Flask

from companion.certificates import (
    CertificateError,
    authority_der,
    fingerprint,
    given_certificate,
    may_certify,
    own_certificate,
)
from companion.errors import CompanionError
from companion.web.server import SecureServer

NAMES = ("127.0.0.1", "localhost")


@pytest.fixture
def server(app: Flask, tmp_path: Path) -> Iterator[SecureServer]:
    pair = own_certificate(tmp_path / "certificates", NAMES)
    secure = SecureServer("127.0.0.1", 0, pair)
    secure.serve(app)
    yield secure
    secure.stop()


def trusting(folder: Path) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.load_verify_locations(cadata=authority_der(folder))
    return context


def test_a_phone_that_trusts_the_authority_opens_the_page(
    server: SecureServer, tmp_path: Path
) -> None:
    url = f"https://127.0.0.1:{server.port}/camera"
    context = trusting(tmp_path / "certificates")
    with urllib.request.urlopen(url, context=context, timeout=10) as answer:
        page = answer.read().decode()
        assert "data-camera" in page
        assert "Cheroot" not in answer.headers.get("Server", "")


def test_a_phone_that_does_not_is_warned(server: SecureServer) -> None:
    url = f"https://127.0.0.1:{server.port}/camera"
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(url, context=ssl.create_default_context(), timeout=10)


def test_old_tls_is_refused(server: SecureServer) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as sock,
        pytest.raises((ssl.SSLError, ConnectionError)),
    ):
        context.wrap_socket(sock)


def test_the_certificate_lasts_no_longer_than_phones_accept(tmp_path: Path) -> None:
    """Android and iOS refuse more than 398 days, and a certificate without names."""
    pair = own_certificate(tmp_path, ("192.168.7.7", "table.local"))
    leaf = x509.load_pem_x509_certificate(pair.certificate.read_bytes())
    assert (leaf.not_valid_after_utc - leaf.not_valid_before_utc).days <= 398
    assert leaf.not_valid_before_utc < datetime.now(UTC)
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["table.local"]
    assert [str(a) for a in names.get_values_for_type(x509.IPAddress)] == [
        "192.168.7.7"
    ]
    assert stat.S_IMODE(pair.key.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "authority.key").stat().st_mode) == 0o600


def test_the_authority_is_made_once_and_certificates_as_needed(tmp_path: Path) -> None:
    first = own_certificate(tmp_path, NAMES).certificate.read_bytes()
    authority = fingerprint(tmp_path)
    assert own_certificate(tmp_path, NAMES).certificate.read_bytes() == first
    more = own_certificate(tmp_path, (*NAMES, "10.0.0.2")).certificate.read_bytes()
    assert more != first
    assert fingerprint(tmp_path) == authority


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("192.168.1.20", True),
        ("10.2.3.4", True),
        ("[::1]", True),
        ("table.local", True),
        ("localhost", True),
        ("8.8.8.8", False),
        ("bank.example", False),
        ("local.bank.example", False),
    ],
)
def test_the_authority_vouches_for_private_names_only(name: str, *, ours: bool) -> None:
    """Whoever steals its key can still not stand between a phone and its bank."""
    assert may_certify(name) is ours


def test_a_certificate_of_ones_own_is_checked(tmp_path: Path) -> None:
    pair = own_certificate(tmp_path / "one", NAMES)
    other = own_certificate(tmp_path / "two", NAMES)
    assert given_certificate(pair.certificate, pair.key) == pair
    with pytest.raises(CertificateError, match="is not the key of"):
        given_certificate(pair.certificate, other.key)
    with pytest.raises(CertificateError, match="Cannot use"):
        given_certificate(tmp_path / "nothing.pem", pair.key)


def test_a_taken_port_is_told_in_one_sentence(tmp_path: Path) -> None:
    pair = own_certificate(tmp_path, NAMES)
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(CompanionError, match="Cannot listen"),
    ):
        SecureServer("127.0.0.1", taken.getsockname()[1], pair)
