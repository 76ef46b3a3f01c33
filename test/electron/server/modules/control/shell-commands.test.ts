import { describe, expect, it, vi } from 'vitest'
import { replyOf } from '#server/modules/control/commands.ts'
import { ControlRequest } from '#server/modules/control/control.ts'
import { type RunningGateway, updatePreparation } from '#server/modules/control/shell-commands.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { beginSession, runningSession } from '#server/modules/users/sessions.ts'
import { openParts } from '#server/parts.ts'
import { ApiError } from '#shared/errors.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const ask = (parts: ReturnType<typeof openParts>, command: string, running?: RunningGateway) =>
  replyOf(parts, ControlRequest.parse({ command }), {
    origin: 'http://gateway.example',
    listening: undefined,
    running,
  })

describe('what the desktop app asks of the gateway', () => {
  it.each(['status', 'prepare-update'])('refuses %s where no gateway runs', async (command) => {
    using temp = tempFolder()
    using parts = openParts(temp.folder)
    expect(await ask(parts, command)).toEqual({
      ok: false,
      output: 'No gateway runs on this data folder.',
    })
  })

  it('locks every window of this PC, and none elsewhere', async () => {
    using temp = tempFolder()
    using parts = openParts(temp.folder)
    const { people, store } = parts
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
    const user = findUser(store.database, userId)
    if (!user) throw new Error('there is no user')
    const place = { browser: '', address: '', workstationId: null }
    const here = [
      beginSession(store, user, 'link', place),
      beginSession(store, user, 'link', place),
    ]
    expect(await ask(parts, 'lock')).toEqual({ ok: true, output: '2 windows were locked.' })
    expect(here.map(({ token }) => runningSession(store, token)?.isLocked)).toEqual([true, true])
    expect(await ask(parts, 'lock')).toEqual({ ok: true, output: '0 windows were locked.' })
    const locks = store.audit
      .list({ limit: 10 })
      .items.filter(({ action }) => action === 'session.lock')
    expect(locks.map(({ actor, detail }) => ({ actor, detail }))).toEqual(
      Array(2).fill({ actor: 'command-line', detail: { how: 'pc' } }),
    )
  })

  it('prints what the running gateway says', async () => {
    using temp = tempFolder()
    using parts = openParts(temp.folder)
    const running: RunningGateway = {
      status: () =>
        Promise.resolve({ version: '1' } as Awaited<ReturnType<RunningGateway['status']>>),
      prepareUpdate: () => Promise.resolve('It can be stopped.'),
      logFile: undefined,
    }
    expect(await ask(parts, 'status', running)).toEqual({ ok: true, output: '{"version":"1"}' })
    expect(await ask(parts, 'prepare-update', running)).toEqual({
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
    const told: unknown[] = []
    const prepare = updatePreparation({
      backUp: more.backUp ?? (async () => void told.push('back-up')),
      putOff: (isOn) => void told.push(isOn),
      openAssociations: () => (open.length > 1 ? (open.shift() ?? 0) : (open[0] ?? 0)),
      waitMs: 600,
      lapseMs: more.lapseMs ?? 60_000,
    })
    return { told, prepare, [Symbol.dispose]: () => prepare[Symbol.dispose]() }
  }

  it('has a back-up first, then takes no more associations, and waits for those that are open', async () => {
    using update = preparing([2, 1, 0])
    expect(await update.prepare()).toBe(
      'A back-up was made, and no device is connected: the gateway can be stopped.',
    )
    expect(update.told).toEqual(['back-up', true])
  })

  it('waits for a device no longer than it may, and says so', async () => {
    using update = preparing([1])
    expect(await update.prepare()).toBe(
      'A back-up was made. One association is still open, and what is done by it ends with the gateway.',
    )
  })

  it('serves on where no back-up could be made', async () => {
    using update = preparing([0], {
      backUp: () => Promise.reject(new ApiError('refused', 'No folder for back-ups is chosen.')),
    })
    await expect(update.prepare()).rejects.toThrow('No folder for back-ups is chosen.')
    expect(update.told).toEqual([])
  })

  it('serves devices again where nobody stopped it', async () => {
    using update = preparing([0], { lapseMs: 10 })
    await update.prepare()
    await vi.waitFor(() => expect(update.told).toEqual(['back-up', true, false]))
  })

  it('is prepared once where it is asked twice', async () => {
    using update = preparing([0])
    expect(update.prepare()).toBe(update.prepare())
    await update.prepare()
  })
})
