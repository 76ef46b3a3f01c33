import { X509Certificate } from 'node:crypto'
import type { TlsPeer } from '#server/dicom/dimse/service.ts'
import type { Device } from '#shared/contract/devices.ts'

/** Why the device may not come in this way (PS3.15 B.12); undefined where it may. */
export function certificateFault(
  { tls: rule, certificate }: Pick<Device, 'tls' | 'certificate'>,
  tls: TlsPeer | undefined,
): string | undefined {
  if (rule === 'optional') return undefined
  if (!tls) return 'it is set to come by TLS only'
  if (rule === 'required') return undefined
  if (tls.fingerprint256 === undefined) return 'it is set to show a certificate and shows none'
  if (certificate === null)
    return tls.isTrusted
      ? undefined
      : 'its certificate is from none of the authorities in the settings, or is out of date'
  return fingerprintOf(certificate) === tls.fingerprint256
    ? undefined
    : 'its certificate is another than the one in the device list'
}

/** SHA-256; undefined where the text is no certificate, which no peer's can be equal to. */
function fingerprintOf(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint256
  } catch {
    return undefined
  }
}
