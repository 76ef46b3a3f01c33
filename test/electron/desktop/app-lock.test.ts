import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { acquireMachineLock, machineSocketPath } from '../../../electron/desktop/app-lock.ts'

const NAME = `test-${process.pid}`
const freed = (lock: Awaited<ReturnType<typeof acquireMachineLock>>) =>
  'heldBy' in lock || lock[Symbol.dispose]()

describe('the lock of the machine', () => {
  it('is held by one, who says who it is', async () => {
    const first = await acquireMachineLock(NAME)
    expect(first).not.toHaveProperty('heldBy')
    expect(await acquireMachineLock(NAME)).toEqual({
      heldBy: { user: userInfo().username, pid: process.pid },
    })
    freed(first)
    const next = await acquireMachineLock(NAME)
    expect(next).not.toHaveProperty('heldBy')
    freed(next)
  })

  it('is another one for another folder', async () => {
    const first = await acquireMachineLock(NAME)
    const other = await acquireMachineLock(`${NAME} other`)
    expect(other).not.toHaveProperty('heldBy')
    freed(first)
    freed(other)
  })

  it('is held on, whatever somebody sends to it', async () => {
    const first = await acquireMachineLock(NAME)
    const rude = connect(machineSocketPath(NAME))
    rude.on('error', () => undefined)
    rude.write('x'.repeat(100_000))
    expect(await acquireMachineLock(NAME)).toHaveProperty('heldBy.pid', process.pid)
    rude.destroy()
    freed(first)
  })

  it('has a name that every user of the machine sees', () => {
    expect(machineSocketPath('a', 'win32')).toMatch(/^\\\\\.\\pipe\\isthmus-app-[0-9a-f]{24}$/)
    expect(machineSocketPath('a', 'linux')).toMatch(/^\0isthmus-app-[0-9a-f]{24}$/)
    expect(machineSocketPath('a', 'darwin')).toMatch(/^\/tmp\/isthmus-app-[0-9a-f]{24}\.sock$/)
    expect(machineSocketPath('a')).not.toBe(machineSocketPath('b'))
  })
})
