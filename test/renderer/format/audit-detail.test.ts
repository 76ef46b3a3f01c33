import { expect, it } from 'vitest'
import { detailText, shortIds } from '../../../renderer/src/format/audit-detail.ts'

it('puts the detail of an entry on one line', () => {
  expect(detailText({ before: 15, after: 30 })).toBe('before: 15, after: 30')
  expect(detailText({ hosts: ['a:1', 'b:2'], address: null })).toBe(
    'hosts: (a:1, b:2), address: none',
  )
  expect(detailText({ hosts: [] })).toBe('hosts: none')
  expect(detailText('plain')).toBe('plain')
  expect(detailText(null)).toBe('')
})

it('shortens ids, and nothing else', () => {
  expect(shortIds('user:usr_0123456789abcdef0123456789abcdef')).toBe('user:usr_01234567…')
  expect(shortIds('01234567-89ab-4def-8123-456789abcdef')).toBe('01234567…')
  expect(shortIds(`textHash: ${'0a'.repeat(32)}, pdf`)).toBe('textHash: 0a0a0a0a…, pdf')
  expect(shortIds('worklist.storedMinutes')).toBe('worklist.storedMinutes')
})
