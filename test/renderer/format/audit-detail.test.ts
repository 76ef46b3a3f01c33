import { expect, it } from 'vitest'
import {
  detailText,
  objectText,
  shortIds,
  targetText,
} from '../../../renderer/src/format/audit-detail.ts'
import { paramText } from '../../../renderer/src/i18n/param-text.ts'

it('says what changed as before and after', () => {
  expect(detailText({ before: 15, after: 30 })).toBe('15 → 30')
  expect(detailText({ before: false, after: true })).toBe('No → Yes')
  expect(detailText({ isEnabled: { before: true, after: false }, port: 104 })).toBe(
    'Enabled: Yes → No; Port: 104',
  )
})

it('names the members of a detail in words', () => {
  expect(detailText({ reason: 'Wrong patient', instances: 4 })).toBe(
    'Reason: Wrong patient; Images: 4',
  )
  expect(detailText({ modalities: ['CT', 'MR'], address: null })).toBe(
    'Modalities: CT, MR; Address: none',
  )
  expect(detailText({ modalities: [] })).toBe('Modalities: none')
  expect(detailText({ someNewMember: 1 })).toBe('Some new member: 1')
  expect(detailText({ record: { host: 'pacs', port: 104 } })).toBe(
    'Record: (Host: pacs; Port: 104)',
  )
  expect(detailText('plain')).toBe('plain')
  expect(detailText(null)).toBe('')
})

it('says the codes of the interface in words', () => {
  expect(detailText({ area: 'scribe' })).toBe('Study type: For reporting')
  expect(detailText({ severity: { before: 'normal', after: 'stat' } })).toBe(
    'Priority: Normal → STAT',
  )
  expect(detailText({ level: 'admin', area: 'other' })).toBe(
    'Account level: Administrator; Study type: other',
  )
})

const reader = {
  nameOf: (id: string) => (id === 'usr_1' ? 'Olga Berg' : undefined),
  zone: 'Europe/Madrid',
}

it('names people, and writes values, instants and sizes as everywhere else', () => {
  expect(detailText({ kind: 'by-hand', bytes: 1_225_315 }, reader)).toBe(
    'Type: manual; Size: 1.2 MB',
  )
  expect(detailText({ how: 'password and code' })).toBe('How: password and code')
  expect(detailText({ assignedTo: { before: null, after: 'usr_1' } }, reader)).toBe(
    'Assigned to: none → Olga Berg',
  )
  expect(detailText({ until: '2024-11-20T23:30:00.000Z' }, reader)).toBe(
    'Until: 21 Nov 2024, 00:30:00',
  )
  expect(detailText({ fields: ['patientName', 'modality'], viewId: 'x' })).toBe(
    'Fields: Patient name, Modality',
  )
})

it('names what an action was done to', () => {
  const study = `stu_${'0123456789abcdef'.repeat(2)}`
  expect(targetText('read.list', 'correction-targets', reader)).toBe(
    'Order search for a correction',
  )
  expect(targetText('user.update', 'usr_1', reader)).toBe('Olga Berg')
  expect(targetText('setting.change', 'dimse.port', reader)).toBe('Devices (DICOM): TCP port')
  expect(targetText('template.add', '01234567-89ab-4def-8123-456789abcdef', reader)).toBe(
    'Template',
  )
  expect(targetText('backup.make', 'isthmus-2026', reader)).toBe('isthmus-2026')
  expect(objectText(study)).toBe('Study 01234567…')
  expect(objectText('1.2.826.0.1.3680043.8.498.90001')).toBe('Study …8.498.90001')
  expect(objectText('CT1')).toBe('CT1')
})

it('shows days and keywords in messages of the gateway as they are read', () => {
  expect(paramText('2026-11-20', 'from')).toBe('20 Nov 2026')
  expect(paramText('2026-11-20 10:42', 'at')).toBe('20 Nov 2026, 10:42')
  expect(paramText('isthmus-2026-11-20', 'name')).toBe('isthmus-2026-11-20')
  expect(paramText('StudyInstanceUID', 'keyword')).toBe('Study Instance UID')
  expect(paramText('McDonald', 'name')).toBe('McDonald')
})

it('leaves hashes to the export', () => {
  expect(detailText({ isCritical: false, textHash: 'ab', pdfHash: 'cd' })).toBe(
    'Critical result: No',
  )
})

it('shortens ids, and nothing else', () => {
  expect(shortIds('user:usr_0123456789abcdef0123456789abcdef')).toBe('user:usr_01234567…')
  expect(shortIds('01234567-89ab-4def-8123-456789abcdef')).toBe('01234567…')
  expect(shortIds(`textHash: ${'0a'.repeat(32)}, pdf`)).toBe('textHash: 0a0a0a0a…, pdf')
  expect(shortIds('worklist.storedMinutes')).toBe('worklist.storedMinutes')
})
