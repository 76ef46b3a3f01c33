import { describe, expect, it, vi } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { RunningGateway } from '#server/modules/control/command.ts'
import { runCommand } from '#server/modules/control/commands.ts'
import { ControlRequest } from '#server/modules/control/control.ts'
import { UpdatePreparation } from '#server/modules/control/shell-commands.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { beginSession, runningSession } from '#server/modules/users/sessions.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const ask = (context: Context, command: string, running?: RunningGateway) =>
  runCommand(context, ControlRequest.parse({ command }), running, '1')

describe('what the desktop app asks of the gateway', () => {
  it.each(['status', 'prepare-update'])('refuses %s where no gateway runs', async (command) => {
    using temp = tempFolder()
    using context = openContext({ folder: temp.folder })
    expect(await ask(context, command)).toMatchObject({
      ok: false,
      output: 'No gateway is running on this data folder.',
    })
  })

  it('locks every window of this PC, and none elsewhere', async () => {
    using temp = tempFolder()
    using context = openContext({ folder: temp.folder })
    const people = openAccounts(context)
    const password = 'a long and quiet evening'
    const person = {
      email: 'olga@clinic.example',
      firstName: 'Olga',
      lastName: 'Owner',
      level: 'owner',
      clinicRole: 'Other',
      password,
    } as const
    const { userId } = await people.createUser(person, 'command-line')
    const user = findUser(context.database, userId)
    if (!user) throw new Error('there is no user')
    const place = { browser: '', address: '', workstationId: null }
    const here = [
      beginSession(context, user, 'link', place),
      beginSession(context, user, 'link', place),
    ]
    expect(await ask(context, 'lock')).toEqual({ ok: true, output: '2 sessions were locked.' })
    expect(here.map(({ token }) => runningSession(context, token)?.isLocked)).toEqual([true, true])
    expect(await ask(context, 'lock')).toEqual({ ok: true, output: '0 sessions were locked.' })
    const locks = context.audit
      .list({ limit: 10 })
      .items.filter(({ action }) => action === 'session.lock')
    expect(locks.map(({ actor, detail }) => ({ actor, detail }))).toEqual(
      Array(2).fill({ actor: 'command-line', detail: { how: 'pc' } }),
    )
  })

  it('prints what the running gateway says', async () => {
    using temp = tempFolder()
    using context = openContext({ folder: temp.folder })
    const running = {
      status: () =>
        Promise.resolve({ version: '1' } as Awaited<ReturnType<RunningGateway['status']>>),
      prepareUpdate: () => Promise.resolve('It can be stopped.'),
    } as RunningGateway
    expect(await ask(context, 'status', running)).toEqual({ ok: true, output: '{"version":"1"}' })
    expect(await ask(context, 'prepare-update', running)).toEqual({
      ok: true,
      output: 'It can be stopped.',
    })
  })
})

describe('a gateway that is made ready for an update', () => {
  function preparing(
    open: number[],
    more: { backUp?: () => Promise<void>; lapseMs?: number } = {},
  ) {
    const calls: unknown[] = []
    const dicom = {
      get openOfDevices() {
        return open.length > 1 ? (open.shift() ?? 0) : (open[0] ?? 0)
      },
      setRejecting: (isOn: boolean) => void calls.push(isOn),
    }
    const make = vi.fn(more.backUp ?? (async () => void calls.push('backup')))
    const backups = { make: make as unknown as Backups['make'] }
    const preparation = new UpdatePreparation(backups, { dicom }, 600, more.lapseMs)
    return {
      calls,
      prepare: () => preparation.run(),
      [Symbol.dispose]: () => preparation[Symbol.dispose](),
    }
  }

  it('has a backup first, then takes no more associations, and waits for those that are open', async () => {
    using update = preparing([2, 1, 0])
    expect(await update.prepare()).toBe(
      'A backup was made, and no device is connected: the gateway can be stopped.',
    )
    expect(update.calls).toEqual(['backup', true])
  })

  it('waits for a device no longer than it may, and says so', async () => {
    using update = preparing([1])
    expect(await update.prepare()).toBe(
      'A backup was made. One association is still open, and will end when the gateway stops.',
    )
  })

  it('serves on where no backup could be made', async () => {
    using update = preparing([0], {
      backUp: () =>
        Promise.reject(new ApiError('refused', verbatim('No folder for backups has been chosen.'))),
    })
    await expect(update.prepare()).rejects.toThrow('No folder for backups has been chosen.')
    expect(update.calls).toEqual([])
  })

  it('serves devices again where nobody stopped it', async () => {
    using update = preparing([0], { lapseMs: 10 })
    await update.prepare()
    await vi.waitFor(() => expect(update.calls).toEqual(['backup', true, false]))
  })

  it('is prepared once where it is asked twice', async () => {
    using update = preparing([0])
    expect(update.prepare()).toBe(update.prepare())
    await update.prepare()
  })
})
