import { expect, it } from 'vitest'
import { guessModality, guessName } from '../../../../renderer/src/features/devices/guess.ts'

it.each([
  ['CT1', 'CT'],
  ['RAD_US2', 'US'],
  ['MRI-AVANTO', 'MR'],
  ['mr_skyra', 'MR'],
  ['DR3', 'DX'],
  ['MAMMO1', 'MG'],
  ['LOGIQ_P9', ''],
  ['CTRL_ROOM', ''],
  ['', ''],
])('reads the modality of %j as %j', (aeTitle, modality) => {
  expect(guessModality(aeTitle)).toBe(modality)
})

it.each([
  ['CT_ROOM1', 'CT Room 1'],
  ['MRI-AVANTO', 'MRI Avanto'],
  ['CT1', 'CT1'],
  ['LOGIQ_P9', 'LOGIQ P9'],
])('names %s %s', (aeTitle, name) => {
  expect(guessName(aeTitle)).toBe(name)
})
