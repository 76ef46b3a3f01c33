import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { instantOf } from '#server/platform/clock.ts'
import type { Certificate } from '#shared/contract/dashboard.ts'
import type { TlsFiles } from './server.ts'

const DAY_MS = 24 * 60 * 60_000
// Some systems refuse a certificate valid for more than 825 days even if it was trusted manually.
const VALID_DAYS = 730
const RENEW_DAYS = 30

/** The purpose of a certificate: web pages and the interface, or DICOM over TLS (PS3.15 B.12). */
export type CertificateUse = Certificate['use']

interface CertificateKind {
  readonly files: readonly [key: string, cert: string]
  readonly makeKey: () => KeyObject
  /** Extended key usage (RFC 5280 §4.2.1.12). */
  readonly purposes: readonly string[]
  /** Whether it is replaced only by a person, unless it has expired. */
  readonly isPinned: boolean
}
const [SERVER_AUTH, CLIENT_AUTH] = ['2b06010505070301', '2b06010505070302']

const KINDS: Readonly<Record<CertificateUse, CertificateKind>> = {
  https: {
    files: ['key.pem', 'cert.pem'],
    makeKey: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    purposes: [SERVER_AUTH],
    isPinned: false,
  },
  'dicom-tls': {
    files: ['dicom-key.pem', 'dicom-cert.pem'],
    // RSA, because the cipher suites that every PS3.15 B.12 node supports (RFC 9325 §4.2, before
    // TLS 1.3) include those of RSA, and some consoles do not support ECDSA.
    makeKey: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    // The gateway also acts as a TLS client, and devices may request a certificate.
    purposes: [SERVER_AUTH, CLIENT_AUTH],
    // Devices trust this certificate itself and ignore its names. Renewing it for a new address of
    // this PC would lock out all devices after a restart.
    isPinned: true,
  },
}

export interface CertificateOptions {
  /** The data folder. */
  readonly folder: string
  /** DNS names and addresses. */
  readonly names: readonly string[]
  readonly nowMs: number
  /** Defaults to https. */
  readonly use?: CertificateUse
}

/**
 * The gateway's own certificate in `folder`/tls, created if it is missing. Partners and devices pin
 * it, so it is kept as long as possible: the https certificate until it expires within 30 days or
 * lacks one of `names`, the DICOM certificate until it has expired. The key is kept even then. The
 * files are readable only by their owner.
 */
export function loadOrCreateCertificate(options: CertificateOptions): TlsFiles {
  const { use = 'https' } = options
  const files = filesOf(options.folder, use)
  const key = existsSync(files.key) ? readFileSync(files.key, 'utf8') : undefined
  const cert = key && existsSync(files.cert) ? readFileSync(files.cert, 'utf8') : undefined
  if (key && cert && isUsable(cert, key, options)) return { key, cert }
  const created = selfSignedCertificate(options.names, {
    nowMs: options.nowMs,
    use,
    ...(key && { key }),
  })
  if (!key) writeAtomic(files.key, created.key)
  writeAtomic(files.cert, created.cert)
  return created
}

/**
 * Replaces the certificate in `folder`/tls by one with a new key. Clients that pinned the old one
 * must be given the new one.
 */
export function renewCertificate({
  folder,
  names,
  nowMs,
  use = 'https',
}: CertificateOptions): TlsFiles {
  const files = filesOf(folder, use)
  const created = selfSignedCertificate(names, { nowMs, use })
  // The key is written first, because a certificate that does not match its key is created again at
  // the next start.
  writeAtomic(files.key, created.key)
  writeAtomic(files.cert, created.cert)
  return created
}

/**
 * Certificate details for display: distinguished names such as `CN=Isthmus`, and the remaining
 * whole days, negative after expiry.
 */
export type CertificateFacts = Omit<Certificate, 'use' | 'isInUse'>

/** Parses a certificate (PEM). @throws Error if it is not a certificate */
export function certificateFacts(cert: string, nowMs: number): CertificateFacts {
  const read = new X509Certificate(cert)
  const [begins, ends] = [Date.parse(read.validFrom), Date.parse(read.validTo)]
  return {
    subject: nameOf(read.subject),
    issuer: nameOf(read.issuer),
    isSelfMade: read.checkIssued(read) && read.verify(read.publicKey),
    fingerprint256: read.fingerprint256,
    notBefore: instantOf(begins),
    notAfter: instantOf(ends),
    daysLeft: Math.floor((ends - nowMs) / DAY_MS),
    pem: cert,
  }
}

/** Joins a distinguished name, which Node prints with one part per line, to a single line. */
const nameOf = (lines: string | undefined): string => (lines ?? '').split('\n').join(', ')

/**
 * SHA-256 fingerprint in the format of browsers and other clients, for comparison by the person who
 * trusts the certificate.
 */
export const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256

/**
 * A self-signed certificate for these DNS names and addresses (RFC 5280), with the given key or a
 * new one.
 */
export function selfSignedCertificate(
  names: readonly string[],
  {
    nowMs,
    key,
    use = 'https',
  }: { readonly nowMs: number; readonly key?: string; readonly use?: CertificateUse },
): TlsFiles {
  const { makeKey, purposes } = KINDS[use]
  const privateKey = key ? createPrivateKey(key) : makeKey()
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: pem(buildCertificate(names, privateKey, purposes, nowMs)),
  }
}

/** Path of the certificate (PEM) for this use, which may not exist yet. */
export const certificateFile = (folder: string, use: CertificateUse): string =>
  filesOf(folder, use).cert

function filesOf(folder: string, use: CertificateUse): TlsFiles {
  const [key, cert] = KINDS[use].files
  return { key: join(folder, 'tls', key), cert: join(folder, 'tls', cert) }
}

function isUsable(
  cert: string,
  key: string,
  { names, nowMs, use = 'https' }: CertificateOptions,
): boolean {
  try {
    const known = new X509Certificate(cert)
    if (!known.checkPrivateKey(createPrivateKey(key))) return false
    const ends = Date.parse(known.validTo)
    if (KINDS[use].isPinned) return nowMs < ends
    const isCovered = (name: string) =>
      (isIP(name) ? known.checkIP(name) : known.checkHost(name)) !== undefined
    return nowMs < ends - RENEW_DAYS * DAY_MS && names.every(isCovered)
  } catch {
    return false
  }
}

/** Writes a file atomically, readable only by its owner. */
function writeAtomic(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

function buildCertificate(
  names: readonly string[],
  privateKey: KeyObject,
  purposes: readonly string[],
  nowMs: number,
): Buffer {
  // RFC 5758 §3.2: no parameters with ecdsa-with-SHA256; RFC 4055 §5: NULL with
  // sha256WithRSAEncryption.
  const algorithm =
    privateKey.asymmetricKeyType === 'rsa'
      ? sequence(oid('2a864886f70d01010b'), DER_NULL)
      : sequence(oid('2a8648ce3d040302'))
  const subject = sequence(set(sequence(oid('550403'), utf8('Isthmus'))))
  // Accepts clients whose clock is up to a day behind.
  const validity = sequence(time(nowMs - DAY_MS), time(nowMs + VALID_DAYS * DAY_MS))
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const alternativeNames = names.map((name) =>
    isIP(name) ? der(0x87, addressBytes(name)) : der(0x82, Buffer.from(name)),
  )
  const extensions = sequence(
    extension('551d11', sequence(...alternativeNames)),
    // Basic constraints: a certificate authority, but only for itself (path length 0).
    extension('551d13', sequence(DER_TRUE, integer(Buffer.of(0))), true),
    extension('551d25', sequence(...purposes.map(oid))),
  )
  // RFC 5280 §4.1: version 3, a positive serial number, and the remaining fields in order.
  const tbsCertificate = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ...[algorithm, subject, validity, subject, publicKey],
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', tbsCertificate, privateKey))
  return sequence(tbsCertificate, algorithm, signature)
}

const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents)
const set = (...contents: readonly Buffer[]) => der(0x31, ...contents)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const integer = (bytes: Buffer) => der(0x02, bytes)
const utf8 = (text: string) => der(0x0c, Buffer.from(text))
const DER_TRUE = Buffer.of(0x01, 0x01, 0xff)
const DER_NULL = Buffer.of(0x05, 0x00)
const extension = (id: string, value: Buffer, isCritical = false) =>
  sequence(oid(id), ...(isCritical ? [DER_TRUE] : []), der(0x04, value))

/** RFC 5280 §4.1.2.5: UTCTime until 2049. */
const time = (ms: number) =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

/** The 4 or 16 bytes of an address, without its zone. */
const addressBytes = (address: string): Buffer =>
  Buffer.from(ipaddr.parse(address.replace(/%.*/, '')).toByteArray())

/** X.690 §8.1: tag, length, contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const pem = (bytes: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`
