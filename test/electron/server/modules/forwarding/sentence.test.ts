import { describe, expect, it } from 'vitest'
import { sentenceCase } from '#server/modules/forwarding/sentence.ts'

describe('a reason as a sentence', () => {
  it.each([
    [
      'it cannot understand the instance (status C000)',
      'It cannot understand the instance (status C000).',
    ],
    ['nothing listens at pacs:104', 'Nothing listens at pacs:104.'],
    [
      'pacs refused the association: it gave no reason',
      'pacs refused the association: it gave no reason.',
    ],
    ['dicom-dimse-native is not installed', 'dicom-dimse-native is not installed.'],
    ['3 images came.', '3 images came.'],
    ['', ''],
  ])('%s', (part, sentence) => {
    expect(sentenceCase(part)).toBe(sentence)
  })
})
