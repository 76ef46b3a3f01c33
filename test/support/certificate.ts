import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A self-signed certificate made for a test, with its key; PEM. It is its own authority. */
export function selfSignedCertificate(
  dnsNames: readonly string[],
  {
    from = '20200101000000Z',
    until = '20991231235959Z',
  }: { readonly from?: string; readonly until?: string } = {},
): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(0x30, oid('2a8648ce3d040302'))
  const name = der(
    0x30,
    der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('Isthmus test')))),
  )
  const validity = der(0x30, time(from), time(until))
  const alternativeNames = der(0x30, ...dnsNames.map((dnsName) => der(0x82, Buffer.from(dnsName))))
  const extensions = der(
    0x30,
    der(0x30, oid('551d11'), der(0x04, alternativeNames)),
    der(
      0x30,
      oid('551d13'),
      der(0x01, Buffer.from([0xff])),
      der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))),
    ),
  )
  // RFC 5280 4.1: version 3, a positive serial number, and the rest in order.
  const toSign = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ...[algorithm, name, validity, name, publicKey.export({ type: 'spki', format: 'der' })],
    der(0xa3, extensions),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', toSign, privateKey)])
  const certificate = der(0x30, toSign, algorithm, der(0x03, signature))
  // RFC 7468: no empty line, whatever the length.
  const base64 = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const time = (text: string) => der(0x18, Buffer.from(text))

/** X.690: tag, length, contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
