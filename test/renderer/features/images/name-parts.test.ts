import { describe, expect, it } from 'vitest'
import { joinedName, namePartsOf } from '../../../../renderer/src/features/images/name-parts.ts'

describe('the parts of a name', () => {
  it.each([
    'Marlowe^Ottilie',
    'Quillfeather^Ansgar^^Dr.',
    'Vymyslena^Anna^Maria^Prof. Dr.^Jr.',
    'Yamada^Tarou=山田^太郎=やまだ^たろう',
    '=山田^太郎',
    'Sample==サンプル',
    'Phantom',
    '',
  ])('are put together to the same name: %s', (name) => {
    expect(joinedName(namePartsOf(name))).toBe(name)
  })

  it('leave no delimiter at the end of a group', () => {
    const parts = {
      ...namePartsOf('Marlowe^Ottilie^^Dr.=山田^太郎='),
      given: ' ',
      prefix: '',
      ideographic: '山田^',
    }
    expect(joinedName(parts)).toBe('Marlowe=山田')
  })
})
