import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { openCertificates } from '#server/http/certificates.ts'
import type { TlsFiles } from '#server/http/server.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const settings = { get: ((key: keyof typeof SETTINGS) => SETTINGS[key].initial) as never }
const open = (folder: string) =>
  openCertificates({ folder, settings, clock: Date.now } as unknown as Context)

it('shows the certificate a listener stands on, and none before', () => {
  using temp = tempFolder()
  const certificates = open(temp.folder)
  const files = certificates.of('dicom-tls')
  expect(certificates.list()).toEqual([])
  certificates.use('dicom-tls', files, () => {})
  expect(certificates.list()).toMatchObject([
    { use: 'dicom-tls', isInUse: true, isSelfMade: true, pem: files.cert },
  ])
  expect(open(temp.folder).of('dicom-tls')).toEqual(files)
})

it('gives a listener the certificate that was made anew, and keeps it', () => {
  using temp = tempFolder()
  const certificates = open(temp.folder)
  const before = certificates.of('dicom-tls')
  const taken: TlsFiles[] = []
  certificates.use('dicom-tls', before, (files) => taken.push(files))
  const renewed = certificates.renew('dicom-tls')
  expect(taken.map(({ cert }) => cert)).toEqual([renewed.pem])
  expect(renewed.pem).not.toBe(before.cert)
  expect(certificates.list()).toEqual([renewed])
  expect(readFileSync(join(temp.folder, 'tls', 'dicom-cert.pem'), 'utf8')).toBe(renewed.pem)
})

it('says in one sentence what to do with files that cannot be used', () => {
  using temp = tempFolder()
  open(temp.folder).of('https')
  writeFileSync(join(temp.folder, 'tls', 'key.pem'), 'not a key')
  expect(() => open(temp.folder).of('https')).toThrow(
    /^The certificate for HTTPS in .+ cannot be used .+ Move its files to another place/,
  )
})
