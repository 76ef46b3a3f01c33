import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import type { TlsPeer } from '#server/dicom/dimse/service.ts'
import { fingerprintOf, selfSignedCertificate } from '#server/http/certificate.ts'
import { associationPolicy } from '#server/modules/devices/association-policy.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'

const { verification, modalityWorklistFind } = SOP_CLASS
const ECHO = [verification]
const BOTH = [verification, modalityWorklistFind]

/** CT1 in one network, with one of its addresses switched off; MR1 anywhere, switched off. */
function openClinic(settings: Record<string, unknown> = {}, storageFault?: string) {
  const temp = tempDataFolder()
  const context = openContext({ folder: temp.folder })
  context.settings.change(settings, 'command-line')
  for (const device of [
    { aeTitle: 'CT1', address: '10.0.3.0/24' },
    { aeTitle: 'CT1', address: '10.0.3.9', isEnabled: false },
    { aeTitle: 'MR1', isEnabled: false },
  ])
    addDevice(context, NewDevice.parse(device), 'command-line')
  const policy = associationPolicy(
    context,
    () => (storageFault ? verbatim(storageFault) : null),
    (aeTitle, address) => aeTitle === 'PACS' && address === '10.0.9.9',
  )
  return {
    context,
    /** `all`, `echo`, or the pair of result, source and reason with why. */
    decide(
      callingAeTitle: string,
      remoteAddress: string,
      abstractSyntaxes: readonly string[] = BOTH,
      calledAeTitle = 'ISTHMUS',
      tls?: TlsPeer,
    ): string {
      const request = {
        associationId: 'a',
        callingAeTitle,
        calledAeTitle,
        remoteAddress,
        abstractSyntaxes,
        ...(tls && { tls }),
      }
      const decision = policy.decide({ ...request, openAssociations: 0, openFromCaller: 0 })
      if ('accept' in decision)
        return decision.onlySopClasses ? `only ${decision.onlySopClasses.join()}` : 'all'
      const { result, source, reason, why } = decision.reject
      return `${result}/${source}/${reason} ${englishText(why)}`
    },
    [Symbol.dispose]() {
      context[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

const STRANGER = '1/1/3 it is not in the device list'
const OFF = '1/1/3 this device is disabled in the device list'
const ONLY_ECHO = `only ${verification}`

it.each([
  ['a device at its address', 'CT1', '10.0.3.7', BOTH, 'all'],
  ['a device that writes its title in another case', 'ct1', '10.0.3.7', BOTH, 'all'],
  ['a device that only tests the connection', 'CT1', '10.0.3.7', ECHO, 'all'],
  ['a device from another network', 'CT1', '10.0.4.7', BOTH, STRANGER],
  ['a stranger', 'US1', '10.0.3.7', BOTH, STRANGER],
  ['a stranger who only tests the connection', 'US1', '10.0.3.7', ECHO, ONLY_ECHO],
  ['a caller without a name', '', '10.0.3.7', BOTH, '1/1/3 its AE title is not valid'],
  ['a device that is switched off', 'MR1', '10.0.3.7', BOTH, OFF],
  ['a device that is switched off at this address', 'CT1', '10.0.3.9', BOTH, OFF],
  ['a device that is switched off and tests the connection', 'MR1', '10.0.3.7', ECHO, ONLY_ECHO],
])('decides about %s', (_, callingAeTitle, address, syntaxes, decision) => {
  using clinic = openClinic()
  expect(clinic.decide(callingAeTitle, address, syntaxes)).toBe(decision)
})

it('serves strangers where the setting says so, but no device that is switched off', () => {
  using clinic = openClinic({ 'dimse.allowUnknownDevices': true })
  expect(clinic.decide('US1', '10.0.3.7')).toBe('all')
  for (const noTitle of ['', 'A\\B', 'A\nB', 'ÄRZTE'])
    expect(clinic.decide(noTitle, '10.0.3.7')).toBe('1/1/3 its AE title is not valid')
  expect(clinic.decide('CT1', '10.0.4.7')).toBe('all')
  expect(clinic.decide('MR1', '10.0.3.7')).toBe(OFF)
  expect(clinic.decide('CT1', '10.0.3.9')).toBe(OFF)
})

it('takes any called AE title, and only its own where the policy is strict', () => {
  using lenient = openClinic()
  expect(lenient.decide('CT1', '10.0.3.7', BOTH, 'OLD_RIS')).toBe('all')

  using strict = openClinic({ 'dimse.calledAePolicy': 'strict' })
  expect(strict.decide('CT1', '10.0.3.7', BOTH, 'isthmus')).toBe('all')
  expect(strict.decide('CT1', '10.0.3.7', BOTH, 'OLD_RIS')).toBe(
    '1/1/7 it called OLD_RIS, but this gateway’s AE title is ISTHMUS',
  )
  expect(strict.decide('CT1', '10.0.3.7', ECHO, '')).toBe(
    '1/1/7 it called an empty AE title, but this gateway’s AE title is ISTHMUS',
  )
})

it('puts off images while they cannot be kept, and nothing else', () => {
  using clinic = openClinic({}, 'the disk is full')
  const images = ['1.2.840.10008.5.1.4.1.1.2']
  expect(clinic.decide('CT1', '10.0.3.7', [...images, ...ECHO])).toBe('2/3/2 the disk is full')
  expect(clinic.decide('CT1', '10.0.3.7', BOTH)).toBe('all')
  expect(clinic.decide('CT1', '10.0.3.7', [...images, ...BOTH])).toBe('all')
  expect(clinic.decide('PACS', '10.0.9.9', images)).toBe('2/3/2 the disk is full')
  expect(clinic.decide('CT2', '10.0.3.7', images)).toBe('1/1/3 it is not in the device list')
})

it('asks TLS, and the certificate, of the devices that are set to it', () => {
  using clinic = openClinic()
  const [own, other] = [0, 1].map(
    () => selfSignedCertificate(['ct'], { nowMs: Date.now(), use: 'dicom-tls' }).cert,
  ) as [string, string]
  for (const device of [
    { aeTitle: 'TLS', tls: 'required' },
    { aeTitle: 'PIN', tls: 'mutual', certificate: own },
    { aeTitle: 'CA', tls: 'mutual' },
  ])
    addDevice(clinic.context, NewDevice.parse(device), 'command-line')
  const peer = (fingerprint256?: string, isTrusted = false) => ({
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    fingerprint256,
    isTrusted,
  })
  const decide = (aeTitle: string, tls?: TlsPeer) =>
    clinic.decide(aeTitle, '10.0.3.7', BOTH, 'ISTHMUS', tls)
  const plain = '1/1/1 it must connect by TLS'
  expect([decide('TLS'), decide('PIN'), decide('CA')]).toEqual([plain, plain, plain])
  expect(decide('TLS', peer())).toBe('all')
  expect(decide('PIN', peer())).toBe('1/1/1 it must present a certificate and presented none')
  expect(decide('PIN', peer(fingerprintOf(other), true))).toBe(
    '1/1/1 its certificate differs from the one in the device list',
  )
  expect(decide('PIN', peer(fingerprintOf(own)))).toBe('all')
  expect(decide('CA', peer(fingerprintOf(own)))).toMatch('was not issued by any of the authorities')
  expect(decide('CA', peer(fingerprintOf(own), true))).toBe('all')
  expect(decide('CT1', peer())).toBe('all')
})

it('takes the title of a device that comes by TLS from no other address, also where strangers are served', () => {
  using clinic = openClinic({ 'dimse.allowUnknownDevices': true })
  addDevice(
    clinic.context,
    NewDevice.parse({ aeTitle: 'PIN', address: '10.0.3.7', tls: 'mutual' }),
    'command-line',
  )
  const imitated =
    '1/1/3 the device with this AE title is listed with another address and must connect by TLS'
  expect(clinic.decide('PIN', '10.0.4.7')).toBe(imitated)
  expect(clinic.decide('pin', '10.0.4.7')).toBe(imitated)
  // Whoever has no more than Verification has nothing of a device.
  expect(clinic.decide('PIN', '10.0.4.7', ECHO)).toBe(ONLY_ECHO)
  expect(clinic.decide('PIN', '10.0.3.7', ECHO)).toBe('1/1/1 it must connect by TLS')
  expect(clinic.decide('US1', '10.0.4.7')).toBe('all')
})

it('takes images from an archive that studies are being fetched from, and nothing else', () => {
  using clinic = openClinic()
  const images = '1.2.840.10008.5.1.4.1.1.2'
  expect(clinic.decide('PACS', '10.0.9.9', [images, ...BOTH])).toBe(
    `only ${images},${verification}`,
  )
  expect(clinic.decide('PACS', '10.0.9.8', [images])).toBe(STRANGER)
})

it('accepts Query/Retrieve only from devices that have the right to it', () => {
  using clinic = openClinic({ 'dimse.allowUnknownDevices': true })
  const { studyRootFind, studyRootMove, studyRootGet, patientRootFind } = SOP_CLASS
  const CT_IMAGES = '1.2.840.10008.5.1.4.1.1.2'
  for (const [aeTitle, retrieval] of [
    ['NONE', 'none'],
    ['QUERY', 'query'],
    ['FULL', 'retrieve'],
  ] as const)
    addDevice(clinic.context, NewDevice.parse({ aeTitle, retrieval }), 'command-line')
  const decide = (aeTitle: string, ...syntaxes: readonly string[]) =>
    clinic.decide(aeTitle, '10.0.3.7', [verification, ...syntaxes])
  const neither =
    '1/1/1 it may neither search nor retrieve studies (allow it under “Query and retrieve” in the device’s settings)'
  const onlyQuery =
    '1/1/1 it may search studies, but not retrieve their images (allow it under “Query and retrieve” in the device’s settings)'

  expect(decide('NONE', studyRootFind)).toBe(neither)
  expect(decide('NONE', studyRootGet, CT_IMAGES)).toBe(neither)
  expect(decide('QUERY', studyRootFind, patientRootFind)).toBe('all')
  expect(decide('QUERY', studyRootMove)).toBe(onlyQuery)
  expect(decide('QUERY', studyRootGet, CT_IMAGES)).toBe(onlyQuery)
  expect(decide('FULL', studyRootFind, studyRootMove, studyRootGet, CT_IMAGES)).toBe('all')
  expect(decide('US1', studyRootFind)).toBe(
    '1/1/1 only devices in the device list may search or retrieve studies',
  )

  // The rest of an association that also asks for another service is accepted.
  expect(decide('NONE', modalityWorklistFind, studyRootFind)).toBe(
    `only ${verification},${modalityWorklistFind}`,
  )
  expect(decide('QUERY', studyRootFind, studyRootMove)).toBe(
    `only ${verification},${studyRootFind}`,
  )
  expect(decide('NONE', CT_IMAGES, studyRootMove)).toBe(`only ${verification},${CT_IMAGES}`)
})
