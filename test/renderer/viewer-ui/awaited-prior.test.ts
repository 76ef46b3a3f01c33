import { describe, expect, it } from 'vitest'
import { ViewFault } from '#shared/contract/viewed-images.ts'
import { verbatim } from '#shared/messages/message.ts'
import { awaitedPrior } from '../../../renderer/src/viewer/awaited-prior.ts'
import type { ListState } from '../../../renderer/src/viewer/engine/stack.ts'
import type { BestPrior } from '../../../renderer/src/viewer/use-priors.ts'
import { instance, stacks, study } from '../viewer/viewed.ts'

const PRIOR = '1.2.7'
const here: BestPrior = {
  where: 'here',
  isExam: true,
  prior: {
    ...{ studyInstanceUid: PRIOR, studyDescription: 'CT Thorax', modalities: ['CT'] },
    ...{ studyDate: '20250920', instances: 12, isOpen: false },
  },
}
const fault = (studyInstanceUid: string | null, sentence: string) =>
  ViewFault.parse({
    ...{ level: 'warning', what: verbatim('Image 1'), sentence: verbatim(sentence) },
    ...{ studyInstanceUid, sopInstanceUid: null },
  })
const images = (
  state: ListState['progress']['state'],
  prior: 'none' | 'empty' | 'shown' = 'none',
): ListState => ({
  studies: [
    { study: study(), series: stacks([instance(1)]), nonImageInstances: [] },
    ...(prior === 'none'
      ? []
      : [
          {
            study: study({ studyInstanceUid: PRIOR, isPrior: true }),
            series: prior === 'shown' ? stacks([instance(2)]) : [],
            nonImageInstances: [],
          },
        ]),
  ],
  faults: [
    fault('1.2.3', 'Of the current study.'),
    fault(PRIOR, 'It is cut off.'),
    fault(PRIOR, 'It is cut off.'),
  ],
  media: [],
  progress: { state, read: 0, files: 0 },
  isStreamBroken: false,
  ended: null,
})

describe('a pane that is kept for a prior study', () => {
  it('waits while one may come', () => {
    const waiting = [
      awaitedPrior(undefined, null, images('done')),
      awaitedPrior(here, null, images('done')),
      awaitedPrior(here, null, images('loading', 'empty')),
      awaitedPrior(here, null, images('loading', 'shown')),
    ]
    for (const one of waiting)
      expect(one).toEqual({ isComing: true, text: 'Loading the prior study…', reasons: [] })
  })

  it('says why its images cannot be shown, of that study alone and once', () => {
    expect(awaitedPrior(here, null, images('done', 'empty'))).toEqual({
      isComing: false,
      text: 'No image of the prior study can be shown.',
      reasons: ['It is cut off.'],
    })
  })

  it('says why the gateway did not open it', () => {
    expect(awaitedPrior(here, 'You may not see it.', images('done'))).toMatchObject({
      isComing: false,
      reasons: ['You may not see it.'],
    })
  })

  it.each([
    ['where there is none', null, 'none', 'There is no prior study to compare with.'],
    [
      'where nobody has opened one',
      { ...here, isExam: false },
      'none',
      'No prior study is open. Choose one under “Prior studies”.',
    ],
    ['where it has others', here, 'shown', 'The prior study has no image for this place.'],
  ] as const)('says so %s', (_, best, prior, text) => {
    expect(awaitedPrior(best, null, images('done', prior))).toEqual({
      ...{ isComing: false, text, reasons: [] },
    })
  })
})
