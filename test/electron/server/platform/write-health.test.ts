import { describe, expect, it } from 'vitest'
import { diskFaultKind, StorageFault, storageFault } from '#server/platform/disk-fault.ts'
import { openWriteHealth, tryWrite } from '#server/platform/write-health.ts'
import { standingClock, tempFolder } from '../../../support/temp-store.ts'

const failed = (code: string) => Object.assign(new Error('it failed'), { code })

describe('a write that failed', () => {
  it.each([
    ['SQLITE_FULL', 'full'],
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EFBIG', 'full'],
    ['EROFS', 'read-only'],
    ['EACCES', 'read-only'],
    ['SQLITE_READONLY_DIRECTORY', 'read-only'],
    ['SQLITE_IOERR_WRITE', 'failed'],
    ['EIO', 'failed'],
    ['SQLITE_BUSY_SNAPSHOT', 'busy'],
    ['SQLITE_IOERR_SHORT_READ', 'damaged'],
    ['SQLITE_CORRUPT', 'damaged'],
    ['SQLITE_CONSTRAINT_UNIQUE', undefined],
    ['ECONNRESET', undefined],
  ])('with %s is %s', (code, kind) => expect(diskFaultKind(failed(code))).toBe(kind))

  it('keeps its kind as the fault of a file, and is none where a port or a process was refused', () => {
    expect(diskFaultKind(new StorageFault('full', 'write'))).toBe('full')
    expect(storageFault('open', failed('EDQUOT'))).toMatchObject({
      kind: 'full',
      message: 'The disk for images is full (open: EDQUOT).',
    })
    expect(storageFault('open', failed('EMFILE')).kind).toBe('failed')
    expect(diskFaultKind(Object.assign(failed('EACCES'), { syscall: 'listen' }))).toBeUndefined()
    expect(diskFaultKind('ENOSPC')).toBeUndefined()
  })

  it('is done without where its caller can, and only of such a fault', () => {
    expect(tryWrite(() => undefined)).toBe(true)
    expect(
      tryWrite(() => {
        throw failed('SQLITE_FULL')
      }),
    ).toBe(false)
    expect(() =>
      tryWrite(() => {
        throw new Error('another')
      }),
    ).toThrow('another')
  })
})

describe('the health of writes', () => {
  it('is told of once, and is good again a minute after the last fault', () => {
    using temp = tempFolder()
    const clock = standingClock('2026-11-20T09:00:00.000Z')
    const health = openWriteHealth(temp.folder, clock)
    const heard: unknown[] = []
    health.onChange((fault) => heard.push(fault?.kind ?? 'well'))
    health.note(undefined)
    for (let n = 0; n < 5; n++) {
      health.note(failed('SQLITE_FULL'))
      // A full disk takes small writes now and then.
      health.note(undefined)
      clock.pass(30_000)
    }
    expect(health.fault()).toEqual({ kind: 'full', since: Date.parse('2026-11-20T09:00:00.000Z') })
    health.note(new Error('a rule of the domain'))
    clock.pass(30_000)
    health.note(undefined)
    expect(health.fault()).toBe(undefined)
    expect(heard).toEqual(['full', 'well'])
  })
})
