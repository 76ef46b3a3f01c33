import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { Context } from '#server/context.ts'
import type { Certificate } from '#shared/contract/dashboard.ts'
import { type MessageParam, message } from '#shared/messages/message.ts'
import {
  type CertificateUse,
  certificateFacts,
  loadOrCreateCertificate,
  renewCertificate,
} from './certificate.ts'
import type { TlsFiles } from './server.ts'
import { StartError } from './start-error.ts'

/** The gateway's own certificates in `tls/` of the data folder, created on first use. */
export interface Certificates {
  /** @throws StartError if the files cannot be used */
  of(use: CertificateUse): TlsFiles
  /** Registers the listener that uses these files; `take` is called with new ones. */
  use(use: CertificateUse, files: TlsFiles, take: (files: TlsFiles) => void): void
  /** Called when the listener was closed. */
  endUse(use: CertificateUse): void
  /** The certificates used by listeners. */
  list(): Certificate[]
  /** Creates a certificate with a new key; the listener uses it when this returns. */
  renew(use: CertificateUse): Certificate
}

export function openCertificates(context: Context): Certificates {
  const { folder, clock } = context
  /** By use: the files of the listener, and the callback that replaces them. */
  const inUse = new Map<
    CertificateUse,
    { files: TlsFiles; replaceFiles: (files: TlsFiles) => void }
  >()
  const optionsOf = (use: CertificateUse) => ({
    folder,
    names: namesOf(context),
    nowMs: clock(),
    use,
  })
  const certificateReply = (use: CertificateUse, { cert }: TlsFiles): Certificate => ({
    use,
    isInUse: inUse.has(use),
    ...certificateFacts(cert, clock()),
  })

  return {
    of(use) {
      try {
        return loadOrCreateCertificate(optionsOf(use))
      } catch (error) {
        throw new StartError(
          message('http.certificate-unusable', {
            use: CERTIFICATE_LABELS[use],
            folder,
            reason: (error as Error).message,
          }),
          { cause: error },
        )
      }
    },
    use: (use, files, replaceFiles) => void inUse.set(use, { files, replaceFiles }),
    endUse: (use) => void inUse.delete(use),
    list: () => [...inUse].map(([use, { files }]) => certificateReply(use, files)),
    renew(use) {
      const files = renewCertificate(optionsOf(use))
      const listener = inUse.get(use)
      listener?.replaceFiles(files)
      if (listener) listener.files = files
      return certificateReply(use, files)
    },
  }
}

const CERTIFICATE_LABELS: Readonly<Record<CertificateUse, MessageParam>> = {
  https: 'HTTPS',
  'dicom-tls': message('http.dicom-by-tls'),
}

/**
 * All names and addresses of this PC. A name configured later is added to the certificate at the
 * next start.
 */
function namesOf(context: Context): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address.replace(/%.*$/, '')),
  )
  const url = context.settings.get('http.publicUrl')
  const given = [
    ...(url === null ? [] : [new URL(url).hostname]),
    ...context.settings.get('http.allowedHosts'),
  ]
  // Names that a certificate cannot contain would cause a new certificate at each start.
  const names = given
    .map((name) => name.replace(/^\[(.*)\]$/, '$1'))
    .filter((name) => isIP(name) || /^\w[\w.-]*$/.test(name))
  return [...new Set(['localhost', hostname(), ...addresses, ...names])]
}
