import { expect, it } from 'vitest'
import { randomId } from '../../../renderer/src/format/random-id.ts'

it('is a version 4 UUID', () => {
  for (let round = 0; round < 100; round += 1)
    expect(randomId()).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
})
