import { expect, it } from 'vitest'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { MAX_KEPT_LINES, mergeLines } from '../../../renderer/src/format/feed-lines.ts'

const line = (lineId: number, text = `line ${lineId}`) => ({
  lineId,
  at: '2026-11-20T10:00:00.000Z',
  associationId: 'a',
  kind: 'echo' as const,
  tone: 'good' as const,
  aeTitle: 'CT1',
  address: '10.0.0.1',
  text: verbatim(text),
  inspectionId: null,
  studyInstanceUid: null,
})

it('puts the newest first and shows each line once, by its newer reading', () => {
  const merged = mergeLines([line(3), line(5), line(4, 'pushed')], [line(4, 'read'), line(2)])
  expect(merged.map(({ lineId, text }) => [lineId, englishText(text)])).toEqual([
    [5, 'line 5'],
    [4, 'pushed'],
    [3, 'line 3'],
    [2, 'line 2'],
  ])
})

it('keeps a bounded number of lines, the newest', () => {
  const many = Array.from({ length: MAX_KEPT_LINES + 20 }, (_, index) => line(index + 1))
  const merged = mergeLines(many, [])
  expect(merged).toHaveLength(MAX_KEPT_LINES)
  expect(merged[0]?.lineId).toBe(MAX_KEPT_LINES + 20)
})
