import { describe, expect, it } from 'vitest'
import { KeyedMutex } from '#server/platform/concurrency.ts'

describe('turns', () => {
  it('are taken one after the other for one key, in the order they were asked for, and together for two', async () => {
    const turns = new KeyedMutex()
    const order: string[] = []
    const gate = Promise.withResolvers<void>()
    const work = (name: string, until?: Promise<void>) => async () => {
      order.push(`${name} begins`)
      await until
      order.push(`${name} ends`)
      return name
    }
    const first = turns.run('a', work('first', gate.promise))
    const second = turns.run('a', work('second'))
    expect(await turns.run('b', work('other'))).toBe('other')
    gate.resolve()
    expect(await Promise.all([first, second])).toEqual(['first', 'second'])
    expect(order).toEqual([
      'first begins',
      'other begins',
      'other ends',
      'first ends',
      'second begins',
      'second ends',
    ])
  })

  it('go on after one that failed, which fails alone', async () => {
    const turns = new KeyedMutex()
    const failing = turns.run('a', async () => {
      throw new Error('broken')
    })
    const next = turns.run('a', async () => 'next')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('next')
  })
})
