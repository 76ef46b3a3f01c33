import { expect, it } from 'vitest'
import { detailText, shortIds } from '../../../renderer/src/format/audit-detail.ts'

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
  expect(detailText({ someNewMember: 1 })).toBe('Some New Member: 1')
  expect(detailText({ record: { host: 'pacs', port: 104 } })).toBe(
    'Record: (Host: pacs; Port: 104)',
  )
  expect(detailText('plain')).toBe('plain')
  expect(detailText(null)).toBe('')
})

it('says the codes of the interface in words', () => {
  expect(detailText({ area: 'scribe' })).toBe('Area: For reporting')
  expect(detailText({ severity: { before: 'normal', after: 'stat' } })).toBe(
    'Priority: Normal → STAT',
  )
  expect(detailText({ level: 'admin', area: 'other' })).toBe(
    'Account level: Administrator; Area: other',
  )
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
