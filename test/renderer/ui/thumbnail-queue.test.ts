import { expect, it } from 'vitest'
import { takeTurn } from '../../../renderer/src/ui/thumbnail-queue.ts'

it('loads two pictures at once, the others in their order, and none that is not wanted any more', () => {
  const started: number[] = []
  const turns = [1, 2, 3, 4, 5, 6].map((number) => takeTurn(() => started.push(number)))
  expect(started).toEqual([1, 2])
  turns[3]?.leave()
  turns[0]?.end()
  turns[0]?.end()
  expect(started).toEqual([1, 2, 3])
  // One that is being loaded stays.
  turns[1]?.leave()
  turns[3]?.end()
  expect(started).toEqual([1, 2, 3])
  turns[1]?.end()
  turns[2]?.end()
  expect(started).toEqual([1, 2, 3, 5, 6])
  for (const turn of turns) turn.end()
  const last = takeTurn(() => started.push(7))
  expect(started).toEqual([1, 2, 3, 5, 6, 7])
  last.end()
})
