import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { Certificate } from '#shared/contract/dashboard.ts'
import {
  type CertificateUse,
  certificateFacts,
  ownCertificate,
  renewCertificate,
  type TlsFiles,
} from './certificate.ts'
import { StartError } from './start-error.ts'

/**
 * The gateway's own certificates, in `tls/` of the data folder, each made when it is first needed.
 */
export interface Certificates {
  /** @throws StartError where the files cannot be used */
  of(use: CertificateUse): TlsFiles
  /** A listener stands on these files from now on, and takes the next ones. */
  use(use: CertificateUse, files: TlsFiles, take: (files: TlsFiles) => void): void
  /** Its listener was closed. */
  endUse(use: CertificateUse): void
  /** Those that listeners stand on. */
  list(): Certificate[]
  /** Another certificate under another key; the listener has it when this returns. */
  renew(use: CertificateUse): Certificate
}

export interface CertificatesOptions {
  /** The data folder. */
  readonly folder: string
  readonly settings: Pick<Settings, 'get'>
  readonly clock: () => number
}

export function openCertificates({ folder, settings, clock }: CertificatesOptions): Certificates {
  /** By use: what the listener stands on, and how it is given another. */
  const inUse = new Map<CertificateUse, { files: TlsFiles; take: (files: TlsFiles) => void }>()
  const optionsOf = (use: CertificateUse) => ({
    folder,
    names: namesOf(settings),
    nowMs: clock(),
    use,
  })
  const shown = (use: CertificateUse, { cert }: TlsFiles): Certificate => ({
    use,
    isInUse: inUse.has(use),
    ...certificateFacts(cert, clock()),
  })

  return {
    of(use) {
      try {
        return ownCertificate(optionsOf(use))
      } catch (error) {
        throw new StartError(
          `The certificate for ${WORDS[use]} in ${folder}/tls cannot be used (${(error as Error).message}). Move its files away to have new ones made.`,
          { cause: error },
        )
      }
    },
    use: (use, files, take) => void inUse.set(use, { files, take }),
    endUse: (use) => void inUse.delete(use),
    list: () => [...inUse].map(([use, { files }]) => shown(use, files)),
    renew(use) {
      const files = renewCertificate(optionsOf(use))
      const listener = inUse.get(use)
      listener?.take(files)
      if (listener) listener.files = files
      return shown(use, files)
    },
  }
}

const WORDS: Readonly<Record<CertificateUse, string>> = {
  https: 'HTTPS',
  'dicom-tls': 'DICOM by TLS',
}

/**
 * All that this PC is reached by: a name that is set later is in the certificate of the next start.
 */
function namesOf(settings: Pick<Settings, 'get'>): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address.replace(/%.*$/, '')),
  )
  const url = settings.get('http.publicUrl')
  const given = [
    ...(url === null ? [] : [new URL(url).hostname]),
    ...settings.get('http.allowedHosts'),
  ]
  // What no certificate can hold would have a new one made at each start.
  const names = given
    .map((name) => name.replace(/^\[(.*)\]$/, '$1'))
    .filter((name) => isIP(name) || /^\w[\w.-]*$/.test(name))
  return [...new Set(['localhost', hostname(), ...addresses, ...names])]
}
