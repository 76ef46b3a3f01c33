import { parseArgs } from 'node:util'
import { expect, it } from 'vitest'
import { failureOf } from '#electron/cli/failure.ts'
import { UsageError } from '#electron/cli/words.ts'
import { StartError } from '#server/http/start-error.ts'

it('says how a command is used, with 2', () => {
  expect(failureOf(new UsageError('serve needs --data DIR.'))).toEqual({
    sentence: 'serve needs --data DIR.',
    exitCode: 2,
  })
})

it('takes what parseArgs refuses for a wrong use', () => {
  const failure = (() => {
    try {
      return parseArgs({ args: ['--htpp'], options: {} })
    } catch (error) {
      return failureOf(error)
    }
  })()
  expect(failure).toEqual({
    sentence: expect.stringContaining("Unknown option '--htpp'"),
    exitCode: 2,
  })
})

it('says what can be mended in one sentence, with 1, and keeps the stack of a fault of ours', () => {
  expect(failureOf(new StartError('The port is taken.'))).toEqual({
    sentence: 'The port is taken.',
    exitCode: 1,
  })
  expect(failureOf(new RangeError('no row 7'))).toEqual({
    sentence: expect.stringMatching(/^RangeError: no row 7\n {4}at /),
    exitCode: 1,
  })
  expect(failureOf('odd')).toEqual({ sentence: 'odd', exitCode: 1 })
})
