import { expect, it } from 'vitest'
import {
  type Choice,
  rememberChoice,
  rememberedChoice,
} from '../../../../renderer/src/ui/image-panel/remembered.ts'

const storage = () => {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
}

it('remembers for each person where the images are', () => {
  const kept = storage()
  const choice: Choice = { mode: 'window', share: 45 }
  rememberChoice(kept, 'usr_1', choice)
  expect(rememberedChoice(kept, 'usr_1', 'hidden')).toEqual(choice)
  expect(rememberedChoice(kept, 'usr_2', 'hidden')).toEqual({ mode: 'hidden', share: 60 })
})

it('takes what it cannot read for nothing chosen', () => {
  for (const value of ['', '{', 'null', '7', '{"mode":"full","share":99}', '{"share":"60"}'])
    expect(rememberedChoice({ getItem: () => value }, 'usr_1', 'beside')).toEqual({
      mode: 'beside',
      share: 60,
    })
  const closed = () => {
    throw new Error('the browser keeps nothing')
  }
  expect(rememberedChoice({ getItem: closed }, 'usr_1', 'beside').mode).toBe('beside')
  expect(() =>
    rememberChoice({ setItem: closed }, 'usr_1', { mode: 'beside', share: 60 }),
  ).not.toThrow()
})
