import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'

/** PEM, as `openHttpServer` takes it. */
export interface TlsFiles {
  readonly key: string
  readonly cert: string
}

const DAY_MS = 24 * 60 * 60_000
// Some systems refuse a certificate of more than 825 days even where it was trusted by hand.
const VALID_DAYS = 730
const RENEW_DAYS = 30

/**
 * The gateway's own certificate in `folder`/tls, made where there is none. It stays as it is, since partners pin it, until it ends within 30
 * days or does not have one of `names` (DNS names and addresses); the key stays even then. Files for the owner only.
 */
export function ownCertificate(options: { readonly folder: string; readonly names: readonly string[]; readonly nowMs: number }): TlsFiles {
  const folder = join(options.folder, 'tls')
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const key = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : undefined
  const cert = key && existsSync(certFile) ? readFileSync(certFile, 'utf8') : undefined
  if (key && cert && isGood(cert, key, options)) return { key, cert }
  const made = selfSignedCertificate(options.names, { nowMs: options.nowMs, ...(key && { key }) })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!key) writeWhole(keyFile, made.key)
  writeWhole(certFile, made.cert)
  return made
}

/** SHA-256 of the certificate, as browsers and clients show it: the person who trusts it compares this. */
export const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256

/** A certificate for these DNS names and addresses that is its own authority (RFC 5280), under a new P-256 key or the one given. */
export function selfSignedCertificate(names: readonly string[], options: { readonly nowMs: number; readonly key?: string }): TlsFiles {
  const privateKey = options.key ? createPrivateKey(options.key) : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: pem(certificate(names, privateKey, options.nowMs)),
  }
}

function isGood(cert: string, key: string, { names, nowMs }: { readonly names: readonly string[]; readonly nowMs: number }): boolean {
  try {
    const known = new X509Certificate(cert)
    const covers = (name: string) => (isIP(name) ? known.checkIP(name) : known.checkHost(name)) !== undefined
    const ends = Date.parse(known.validTo)
    return known.checkPrivateKey(createPrivateKey(key)) && nowMs < ends - RENEW_DAYS * DAY_MS && names.every(covers)
  } catch {
    return false
  }
}

/** Whole or not at all, for the owner only. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

function certificate(names: readonly string[], privateKey: KeyObject, nowMs: number): Buffer {
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
  const subject = sequence(set(sequence(oid('550403'), utf8('Isthmus'))))
  // A client whose clock is a little behind must still take it.
  const validity = sequence(time(nowMs - DAY_MS), time(nowMs + VALID_DAYS * DAY_MS))
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const alternativeNames = names.map((name) => (isIP(name) ? der(0x87, addressBytes(name)) : der(0x82, Buffer.from(name))))
  const extensions = sequence(
    extension('551d11', sequence(...alternativeNames)),
    // Basic constraints: an authority, which it is only of itself (path length 0).
    extension('551d13', sequence(TRUE, integer(Buffer.of(0))), true),
    extension('551d25', sequence(oid('2b06010505070301'))),
  )
  // RFC 5280 §4.1: version 3, a positive serial number, and the rest in order.
  const toSign = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ...[ecdsaWithSha256, subject, validity, subject, publicKey],
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', toSign, privateKey))
  return sequence(toSign, ecdsaWithSha256, signature)
}

const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents)
const set = (...contents: readonly Buffer[]) => der(0x31, ...contents)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const integer = (bytes: Buffer) => der(0x02, bytes)
const utf8 = (text: string) => der(0x0c, Buffer.from(text))
const TRUE = Buffer.of(0x01, 0x01, 0xff)
const extension = (id: string, value: Buffer, isCritical = false) => sequence(oid(id), ...(isCritical ? [TRUE] : []), der(0x04, value))

/** RFC 5280 §4.1.2.5: UTCTime until 2049. */
const time = (ms: number) => der(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

/** The 4 or 16 bytes of an address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // The URL parser prints every form of an IPv6 address alike; a zone is not part of the address.
  const plain = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1)
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [head = '', tail] = plain.split('::')
  const [before, after] = [groups(head), groups(tail ?? '')]
  const zeros = Array<string>(tail === undefined ? 0 : 8 - before.length - after.length).fill('0')
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** X.690 §8.1: tag, length, contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const pem = (bytes: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`
