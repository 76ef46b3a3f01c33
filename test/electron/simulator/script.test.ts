import { describe, expect, it } from 'vitest'
import { readWorklistFile } from '#electron/simulator/script.ts'

describe('readWorklistFile', () => {
  it('takes an array of items, or the answer of a partner, and judges no item', () => {
    expect(readWorklistFile('[{"PatientID":7}]', 'day.json')).toEqual([{ PatientID: 7 }])
    expect(readWorklistFile('\uFEFF{"authorized":true,"items":[{}]}', 'day.json')).toEqual([{}])
  })

  it.each([
    ['', /^day\.json is not JSON: /],
    [
      '{"PatientID":"P1"}',
      /^day\.json must be an array of worklist items, or an object with such an array in "items"$/,
    ],
    ['null', /^day\.json must be an array/],
    ['[{},"P1"]', /^day\.json: item 2 is not an object$/],
    ['[[]]', /^day\.json: item 1 is not an object$/],
  ])('says in a sentence what is wrong with %j', (text, sentence) => {
    expect(() => readWorklistFile(text, 'day.json')).toThrow(sentence)
  })
})
