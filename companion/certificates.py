"""Certificates for HTTPS in a home without internet: a private authority, made once.

Phones show their camera to a page only over HTTPS. No public authority certifies an
address of a home network, so this machine has its own; a phone that is told to trust it
once (how, is on the page) trusts every certificate that it issues. Its key never leaves
the folder and may sign nothing but servers of this network (name constraints, RFC 5280
4.2.1.10).
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.errors import CompanionError
from companion.i18n import N_

AUTHORITY_YEARS = 10
SERVER_DAYS = 396
"""Browsers of phones refuse certificates that are valid for longer than 398 days."""
RENEW_DAYS = 30
BACKDATED = timedelta(hours=24)
"""The clock of a phone may be slow."""


class CertificateError(CompanionError):
    """A certificate or its key cannot be used."""

    code = "certificate"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a server needs: two PEM files."""

    certificate: Path
    """The server's certificate, then the authority's."""
    key: Path


def own_certificate(folder: Path, names: Sequence[str]) -> Certificate:
    """Return a certificate for `names` (host names and addresses) by our authority.

    The authority is made at the first call; the certificate is made anew when names are
    missing in it or its time is nearly over.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    authority, authority_key = _authority(folder)
    target = Certificate(folder / "server.pem", folder / "server.key")
    wanted = frozenset(_subject(name) for name in names)
    if _is_good(target, authority, wanted):
        return target
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    server = (
        x509.CertificateBuilder()
        .subject_name(_name("Arbitro"))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + timedelta(days=SERVER_DAYS) - BACKDATED)
        .add_extension(x509.SubjectAlternativeName(sorted(wanted, key=str)), False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(
                authority_key.public_key()
            ),
            False,
        )
        .sign(authority_key, hashes.SHA256())
    )
    _write_key(target.key, key)
    target.certificate.write_bytes(_pem(server) + _pem(authority))
    return target


def authority_der(folder: Path) -> bytes:
    """Return the authority's certificate as phones take it; raise `CertificateError`
    where there is none yet."""
    path = folder / "authority.pem"
    if not path.is_file():
        raise CertificateError(N_("HTTPS is off: start Arbitro with --https first."))
    certificate = x509.load_pem_x509_certificate(path.read_bytes())
    return certificate.public_bytes(serialization.Encoding.DER)


def fingerprint(folder: Path) -> str:
    """Return the SHA-256 of the authority's certificate, as phones show it."""
    certificate = x509.load_der_x509_certificate(authority_der(folder))
    digest = certificate.fingerprint(hashes.SHA256()).hex().upper()
    return ":".join(digest[i : i + 2] for i in range(0, len(digest), 2))


def given_certificate(certificate: Path, key: Path) -> Certificate:
    """Return a certificate that the user brings; raise `CertificateError` if the files
    cannot be read, do not belong together or their time is over."""
    try:
        leaf = x509.load_pem_x509_certificate(certificate.read_bytes())
        private = serialization.load_pem_private_key(key.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise CertificateError(
            N_("Cannot use %(file)s with %(key)s: %(reason)s"),
            file=str(certificate),
            key=str(key),
            reason=str(error),
        ) from error
    if private.public_key() != leaf.public_key():
        raise CertificateError(
            N_("%(key)s is not the key of %(file)s."),
            file=str(certificate),
            key=str(key),
        )
    if leaf.not_valid_after_utc < datetime.now(UTC):
        raise CertificateError(
            N_("The certificate %(file)s has expired."), file=str(certificate)
        )
    return Certificate(certificate, key)


def _authority(folder: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    certificate_path, key_path = folder / "authority.pem", folder / "authority.key"
    if certificate_path.is_file() and key_path.is_file():
        certificate = x509.load_pem_x509_certificate(certificate_path.read_bytes())
        key = serialization.load_pem_private_key(key_path.read_bytes(), password=None)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return certificate, key
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    name = _name(f"Arbitro {os.urandom(3).hex()}")
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + timedelta(days=365 * AUTHORITY_YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .add_extension(_signing_only(), True)
        .add_extension(_this_network_only(), True)
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False
        )
        .sign(key, hashes.SHA256())
    )
    _write_key(key_path, key)
    certificate_path.write_bytes(_pem(certificate))
    return certificate, key


def _signing_only() -> x509.KeyUsage:
    return x509.KeyUsage(
        key_cert_sign=True,
        crl_sign=True,
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _this_network_only() -> x509.NameConstraints:
    """Return the names that the authority may certify: private ones."""
    networks = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")
    addresses = [ipaddress.ip_network(n) for n in (*networks, "127.0.0.0/8")]
    v6 = [ipaddress.ip_network(n) for n in ("fc00::/7", "fe80::/10", "::1/128")]
    names = [x509.DNSName(n) for n in ("local", "localhost", "lan", "home.arpa")]
    return x509.NameConstraints(
        [*names, *(x509.IPAddress(n) for n in (*addresses, *v6))], None
    )


def may_certify(name: str) -> bool:
    """Return whether our authority may issue a certificate for a name or address."""
    permitted = _this_network_only().permitted_subtrees or []
    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        endings = [g.value for g in permitted if isinstance(g, x509.DNSName)]
        return any(name == end or name.endswith(f".{end}") for end in endings)
    return any(
        address in network.value
        for network in permitted
        if isinstance(network, x509.IPAddress)
        and isinstance(network.value, ipaddress.IPv4Network | ipaddress.IPv6Network)
        and network.value.version == address.version
    )


def _is_good(
    target: Certificate, authority: x509.Certificate, wanted: Iterable[x509.GeneralName]
) -> bool:
    if not (target.certificate.is_file() and target.key.is_file()):
        return False
    try:
        leaf = x509.load_pem_x509_certificate(target.certificate.read_bytes())
        leaf.verify_directly_issued_by(authority)
    except Exception:
        return False
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    lasts = leaf.not_valid_after_utc - datetime.now(UTC) > timedelta(days=RENEW_DAYS)
    return lasts and set(wanted) <= set(names)


def _subject(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        return x509.DNSName(name)


def _name(common: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Arbitro"),
            x509.NameAttribute(NameOID.COMMON_NAME, common),
        ]
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
