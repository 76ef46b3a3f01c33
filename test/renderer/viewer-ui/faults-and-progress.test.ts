import { describe, expect, it } from 'vitest'
import { ViewFault } from '#shared/contract/viewed-images.ts'
import { verbatim } from '#shared/messages/message.ts'
import { dangerTexts, faultGroups } from '../../../renderer/src/viewer/fault-groups.ts'
import { decodedText, progressText } from '../../../renderer/src/viewer/progress-text.ts'
import { instance, stacks, study } from '../viewer/viewed.ts'

const fault = (level: ViewFault['level'], what: string, sentence: string) =>
  ViewFault.parse({
    level,
    what: verbatim(what),
    sentence: verbatim(sentence),
    studyInstanceUid: null,
    sopInstanceUid: null,
  })

describe('what could not be read', () => {
  const faults = [
    fault('note', 'The manifest', 'It was left out.'),
    fault('warning', 'Image 1', 'It is cut off.'),
    fault('danger', 'Image 2', 'Two patients.'),
    fault('warning', 'Image 3', 'It is cut off.'),
    fault('danger', 'Image 4', 'Two patients.'),
  ]

  it('is one message for each sentence, with all it is of, the worst first', () => {
    expect(
      faultGroups(faults).map(({ level, faults }) => [level, faults.map(({ what }) => what)]),
    ).toEqual([
      ['danger', ['Image 2', 'Image 4']],
      ['warning', ['Image 1', 'Image 3']],
      ['note', ['The manifest']],
    ])
    expect(faultGroups([])).toEqual([])
  })

  it('stands over everything once for each danger', () => {
    expect(dangerTexts(faults)).toEqual(['Two patients.'])
  })
})

it.each([
  ['asking', 0, 0, 'Asking for the images…'],
  ['loading', 0, 0, 'Finding the images…'],
  ['loading', 312, 500, '312 of 500 images received'],
  ['done', 1, 1, 'All 1 image received'],
  ['done', 0, 0, 'No images'],
  ['done', 4999, 5000, '4,999 of 5,000 images received; the rest could not be loaded'],
] as const)('says of %s %d of %d: %s%s', (state, read, files, text) => {
  expect(progressText({ state, read, files })).toBe(text)
})

it('says apart from that how many images the window itself has', () => {
  const studies = [
    { study: study(), series: stacks([1, 2, 3].map((n) => instance(n))), nonImageInstances: [] },
  ]
  expect(decodedText({ studies }, 2)).toBe('2 of 3 ready in this window')
  expect(decodedText({ studies: [] }, 0)).toBe('')
})
