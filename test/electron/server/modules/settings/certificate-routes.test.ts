import { expect, it } from 'vitest'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { certificate, openTestDashboard } from '../dashboard/dashboard-fixture.ts'

it('shows the certificates, and renews one with a line in the audit trail', async () => {
  await using gateway = await openTestDashboard()
  const owner = await gateway.signedIn('owner')
  const shown = dashboard.certificates.reply.parse(
    (await owner.call('GET', '/dashboard/certificates')).json,
  )
  expect(shown).toEqual({ certificates: [certificate()] })
  const renewed = await owner.call('POST', '/dashboard/certificates/dicom-tls/renew')
  expect(dashboard.renewCertificate.reply.parse(renewed.json)).toEqual(
    certificate({ use: 'dicom-tls', fingerprint256: '0B' }),
  )
  const [entry] = gateway.store.audit.list({ limit: 1 }).items
  expect(entry).toMatchObject({
    action: 'certificate.renew',
    target: 'dicom-tls',
    detail: { fingerprint256: '0B' },
  })
  expect(
    Problem.parse((await owner.call('POST', '/dashboard/certificates/smtp/renew')).json),
  ).toMatchObject({ status: 400 })
})
