import { parseArgs } from 'node:util'
import { expect, it } from 'vitest'
import { UsageError } from '#electron/cli/arguments.ts'
import { COMMANDS, commandOf, failureOf, helpFor } from '#electron/cli/commands.ts'
import { StartError } from '#server/http/start-error.ts'
import { verbatim } from '#shared/messages/message.ts'

it('finds a command by its longest name and leaves the rest to it', () => {
  expect(commandOf(['api-key', 'create', '--data', 'x'])).toEqual({
    name: 'api-key create',
    command: COMMANDS['api-key create'],
    rest: ['--data', 'x'],
  })
  expect(commandOf(['serve', '--data', 'x'])).toEqual({
    name: 'serve',
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

it('gives the help of a command where --help is among its words, whatever else is', () => {
  expect(commandOf(['device', 'add', '--data', 'x', '--help'])).toEqual({
    name: 'help',
    command: COMMANDS.help,
    rest: ['device', 'add'],
  })
  expect(commandOf(['config', 'set', '--', '--help']).name).toBe('config set')
})

it('shows every option of every command with a sentence and what it takes', () => {
  for (const [name, { usage, options }] of Object.entries(COMMANDS)) {
    const help = helpFor(name.split(' '))
    expect(help).toContain(`Usage: isthmus ${usage}\n`)
    for (const [option, { type, takes, about, isHidden }] of Object.entries(options)) {
      if (isHidden) continue
      expect(about, `${name} --${option}`).toMatch(/^\S.*\.$/)
      expect(takes === undefined, `${name} --${option}`).toBe(type === 'boolean')
      expect(help).toContain(`\n  --${option}`)
    }
  }
})

it('shows the commands that begin with a word, and refuses one that none begins with', () => {
  expect(helpFor(['device'])).toMatch(/device add .*device update .*device remove .*device list/s)
  expect(helpFor(['device'])).not.toContain('destination')
  expect(() => helpFor(['frobnicate'])).toThrow(UsageError)
})

it('says what an option defaults to and that it is required', () => {
  const help = helpFor(['device', 'add'])
  expect(help).toContain('  --ae-title TEXT\n      Calling AE title of the device. Required.\n')
  expect(help).toContain(
    '  --enabled, --no-enabled\n      Whether the device may connect. Default: yes.',
  )
  expect(helpFor(['serve'])).toMatch(/--log-level LEVEL\n .* Default: info\./)
  expect(helpFor(['device', 'update'])).not.toMatch(/Default:|AE title .* Required/)
})

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
  expect(failureOf(new StartError(verbatim('The port is taken.')))).toEqual({
    sentence: 'The port is taken.',
    exitCode: 1,
  })
  expect(failureOf(new RangeError('no row 7'))).toEqual({
    sentence: expect.stringMatching(/^RangeError: no row 7\n {4}at /),
    exitCode: 1,
  })
  expect(failureOf('odd')).toEqual({ sentence: 'odd', exitCode: 1 })
})
