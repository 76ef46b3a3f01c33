import { expect, it } from 'vitest'
import { COMMANDS, commandOf } from '#electron/cli/commands.ts'
import { UsageError } from '#electron/cli/words.ts'

it('finds a command by its longest name and leaves the rest to it', () => {
  expect(commandOf(['api-key', 'create', '--data', 'x'])).toEqual({
    command: COMMANDS['api-key create'],
    rest: ['--data', 'x'],
  })
  expect(commandOf(['serve', '--data', 'x'])).toEqual({
    command: COMMANDS.serve,
    rest: ['--data', 'x'],
  })
})

it.each([[[]], [['--help']], [['-h']], [['help']]])('gives help for %j', (words) => {
  expect(commandOf(words).command).toBe(COMMANDS.help)
})

it.each([[['frobnicate']], [['api-key']], [['constructor']], [['__proto__']], [['']]])(
  'knows no command %j',
  (words) => {
    expect(() => commandOf(words)).toThrow(UsageError)
  },
)
