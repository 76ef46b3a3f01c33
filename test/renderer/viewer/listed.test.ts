import { describe, expect, it } from 'vitest'
import { verbatim } from '#shared/messages/message.ts'
import { ViewListContents } from '../../../renderer/src/viewer/engine/listed.ts'
import { imageIdOf } from '../../../renderer/src/viewer/engine/series.ts'
import { instance, numbers, series, slice, study, VIEW_ID } from './viewed.ts'

const listed = (...instances: ReturnType<typeof instance>[]) => {
  const list = new ViewListContents(VIEW_ID)
  list.begin()
  list.take({ line: 'study', study: study() })
  list.take({ line: 'series', series: [series()] })
  list.take({ line: 'instances', instances })
  return list
}
const done = { line: 'progress', state: 'done', read: 1, files: 1 } as const

describe('the list of a view, line by line', () => {
  it('takes what comes again in place of what was said', () => {
    const list = listed(slice(1, 0, { source: 'manifest' }), slice(2, 1))
    expect(list.take({ line: 'instances', instances: [slice(1, 5)] })).toEqual(['1.2.3.1.1'])
    expect(list.find(imageIdOf(VIEW_ID, '1.2.3.1.1', 1))?.image.attributes.position?.[2]).toBe(5)
    expect(list.take({ line: 'instances', instances: [slice(1, 5), slice(3, 9)] })).toEqual([])
    // Its place has changed, and it stands there.
    expect(numbers(list.studies()[0]?.series[0]?.stack)).toEqual([2, 1, 3])
  })

  it('keeps a series the same object while nothing of it changes', () => {
    const list = listed(slice(1, 0), slice(2, 1))
    const [before] = list.studies()[0]?.series ?? []
    list.take({ line: 'instances', instances: [slice(1, 0)] })
    list.take({ line: 'series', series: [series()] })
    expect(list.studies()[0]?.series[0]).toBe(before)
    list.take({ line: 'instances', instances: [slice(3, 2)] })
    expect(list.studies()[0]?.series[0]).not.toBe(before)
  })

  it('after a stream that began anew, has what that one said and nothing else', () => {
    const list = listed(slice(1, 0), slice(2, 1))
    list.take({
      line: 'faults',
      faults: [
        {
          level: 'note',
          what: verbatim('Image 1'),
          sentence: verbatim('Odd.'),
          studyInstanceUid: null,
          sopInstanceUid: null,
        },
      ],
    })
    list.begin()
    list.take({ line: 'instances', instances: [slice(2, 1)] })
    expect(list.studies()[0]?.series[0]?.stack).toHaveLength(2)
    expect(list.take(done)).toEqual(['1.2.3.1.1'])
    expect(numbers(list.studies()[0]?.series[0]?.stack)).toEqual([2])
    expect(list.faults).toEqual([])
  })

  it('marks what never came once all is known, and takes it back when more comes', () => {
    const list = listed(slice(1, 0), slice(2, 1, { source: 'manifest' }))
    list.take(done)
    expect(list.studies()[0]?.series[0]?.missing.size).toBe(1)
    list.begin()
    list.take({ line: 'progress', state: 'loading', read: 0, files: 2 })
    expect(list.studies()[0]?.series[0]?.missing.size).toBe(0)
  })

  it('puts the study of the view first and earlier ones after it, newest first, and reports beside', () => {
    const list = listed(instance(1, { image: null, notImage: verbatim('A structured report.') }))
    list.take({
      line: 'study',
      study: study({ studyInstanceUid: '9', isPrior: true, studyDate: '20200101' }),
    })
    list.take({
      line: 'study',
      study: study({ studyInstanceUid: '8', isPrior: true, studyDate: '20240101' }),
    })
    expect(list.studies().map(({ study: { studyInstanceUid } }) => studyInstanceUid)).toEqual([
      '1.2.3',
      '8',
      '9',
    ])
    expect(list.studies()[0]?.nonImageInstances).toHaveLength(1)
    expect(list.studies()[0]?.series).toEqual([])
  })

  it('is fast enough for the longest list', () => {
    const list = listed(...Array.from({ length: 20_000 }, (_, n) => slice(n + 1, n)))
    expect(list.studies()[0]?.series[0]?.stack).toHaveLength(20_000)
    expect(list.studies()[0]?.series[0]?.isVolume).toBe(true)
  })
})
