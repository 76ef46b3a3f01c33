import { describe, expect, it } from 'vitest'
import { nameText, shownName } from '../../../renderer/src/format/patient-name.ts'

describe('a name on the screen', () => {
  it.each([
    ['Smith^John', 'Smith, John'],
    ['Müller-Lüdenscheidt^Anna^Katharina^Dr.^', 'Müller-Lüdenscheidt, Anna Katharina, Dr.'],
    ['van der Berg^Jan^Pieter^^Jr.', 'van der Berg, Jan Pieter, Jr.'],
    ['SMITH', 'SMITH'],
    ['SMITH^^^^', 'SMITH'],
    ['^Cher', 'Cher'],
    ['Yamada^Tarou=山田^太郎=やまだ^たろう', 'Yamada, Tarou (山田 太郎)'],
    ['=山田^太郎', '山田, 太郎'],
    ['==やまだ^たろう', 'やまだ, たろう'],
    ['', '(no name)'],
    ['^^^^', '(no name)'],
    [' Smith ^ John ', 'Smith, John'],
  ])('reads %j as %j', (personName, text) => {
    expect(nameText(personName)).toBe(text)
  })

  it('never changes letters, which differ in upper case in some languages', () => {
    expect(shownName('Straße^İpek')).toEqual({ family: 'Straße', rest: 'İpek', ideographic: '' })
  })
})
