import { expect, it } from 'vitest'
import { acquireLock } from '#server/database/lock.ts'
import { DATA_COMMANDS, runCommand, runWithLock } from '#server/modules/control/commands.ts'
import { ControlRequest } from '#server/modules/control/control.ts'
import { followLink } from '#server/modules/users/people.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'
import { openFolder } from './commands-fixture.ts'

it.each(['frobnicate', '', 'constructor', '__proto__', 'config'])(
  'knows no command “%s”',
  async (command) => {
    using folder = openFolder()
    expect(await folder.run(command)).toMatchObject({
      ok: false,
      output: `There is no command “${command}”.`,
    })
  },
)

it('names each option that is missing or wrong, as it is written', async () => {
  using folder = openFolder()
  expect(await folder.run('api-key create', { options: { scope: 'some' } })).toMatchObject({
    ok: false,
    output: expect.stringMatching(
      /^The command was not carried out\.\n {2}--description: is missing\n {2}--scope: /,
    ),
  })
  expect(
    await folder.run('device add', { options: { 'ae-title': 'A\\B', 'character-set': 'EBCDIC' } }),
  ).toMatchObject({
    ok: false,
    output: expect.stringMatching(/\n {2}--ae-title: must be 1 to 16 .*\n {2}--character-set: /),
  })
  expect(folder.context.audit.list({ limit: 1 }).items).toEqual([])
})

it('prints every setting with its value', async () => {
  using folder = openFolder()
  const { output } = await folder.run('config get')
  const { 'clinic.id': id } = folder.context.settings.all()
  expect(output.split('\n')).toEqual(
    expect.arrayContaining([`clinic.id = "${id}"`, 'dimse.port = 11112', 'http.publicUrl = null']),
  )
})

it('takes a value as JSON where it fits, else as text', async () => {
  using folder = openFolder()
  const set = async (key: string, value: string) =>
    (await folder.run('config set', { arguments: [key, value] })).output
  expect(await set('dimse.aeTitle', '123')).toBe('dimse.aeTitle = "123"')
  expect(await set('dimse.aeTitle', '"GATE"')).toBe('dimse.aeTitle = "GATE"')
  expect(await set('worklist.freshSeconds', '2.5')).toBe('worklist.freshSeconds = 2.5')
  expect(await set('worklist.freshSeconds', '-1')).toMatch(
    /^worklist\.freshSeconds was not changed: .* Seconds for which a response from the partner/,
  )
  expect(await set('clinic.id', 'null')).toBe('body.settings.clinic.id: must be a UUID')
  expect(folder.context.settings.get('worklist.freshSeconds')).toBe(2.5)
})

it('gives a link to make the owner, and later to sign in as one', async () => {
  using folder = openFolder()
  expect((await folder.run('sign-in-link')).output).toMatch(
    /^http:\/\/127\.0\.0\.1:8042\/#\/welcome\?token=/,
  )
  const options = {
    email: 'a@clinic.example',
    'first-name': 'Ada',
    'last-name': 'Member',
    level: 'member',
  }
  await folder.run('user create', { options, input: 'a long and quiet evening\n' })
  expect(await folder.run('sign-in-link')).toMatchObject({
    ok: false,
    output: 'There is no active owner; name a user with --email.',
  })
  expect(
    await folder.run('sign-in-link', { options: { email: 'b@clinic.example' } }),
  ).toMatchObject({
    ok: false,
    output: 'There is no active user b@clinic.example.',
  })
  const { output } = await folder.run('sign-in-link', { options: { email: 'A@CLINIC.example' } })
  const token = output.split('token=')[1] ?? ''
  expect(followLink(folder.context, token)).toMatchObject({
    mayCreateOwner: false,
    signIn: { user: { firstName: 'Ada' } },
  })
})

it('throws what is a fault of ours, so that it is not taken for an answer', async () => {
  using folder = openFolder()
  const uuid = () => {
    throw new RangeError('no such row')
  }
  const context = { ...folder.context, uuid }
  const request = ControlRequest.parse({
    command: 'api-key create',
    options: { description: 'RIS' },
  })
  await expect(runCommand(context, request, undefined, '')).rejects.toThrow(RangeError)
})

it('runs on a folder alone, and not on one that is taken', async () => {
  using temp = tempDataFolder()
  const request = ControlRequest.parse({ command: 'config get', arguments: ['dimse.port'] })
  expect(await runWithLock(temp.folder, request)).toEqual({ ok: true, output: '11112' })
  using lock = acquireLock(temp.folder)
  expect(lock).toBeDefined()
  expect(await runWithLock(temp.folder, request)).toBeUndefined()
})

it('has a usage and a sentence for each command', () => {
  for (const [name, { about, options, usage }] of Object.entries(DATA_COMMANDS)) {
    expect(about, name).toMatch(/^[a-z]/)
    if (usage.includes('[OPTION …]')) continue
    for (const option of Object.keys(options).filter((one) => one !== 'if-no-owner'))
      expect(usage, name).toContain(`--${option}`)
  }
})
