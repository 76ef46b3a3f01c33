import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '#server/platform/log.ts'
import { logFilesOf, openLogFile } from '#server/platform/log-file.ts'
import { needing } from '../../../support/needs.ts'
import { tempFolder } from '../../../support/temp-store.ts'

describe('a log that is kept in files', () => {
  it('is made with its folder, readable by its owner only, a line at a time', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'logs', 'gateway.log')
    const log = openLog('info', openLogFile(file))
    log.info({ aeTitle: 'CT1' }, 'answered')
    const [kept] = logFilesOf(file)
    expect(kept?.path).toBe(join(temp.folder, 'logs', 'gateway.1.log'))
    expect(JSON.parse(readFileSync(kept?.path ?? '', 'utf8'))).toMatchObject({
      level: 'info',
      aeTitle: 'CT1',
      msg: 'answered',
    })
    if (process.platform !== 'win32') {
      expect((statSync(kept?.path ?? '').mode & 0o777).toString(8)).toBe('600')
      expect((statSync(join(temp.folder, 'logs')).mode & 0o777).toString(8)).toBe('700')
    }
  })

  it('begins another file when one is full, and keeps the newest fourteen', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.log')
    const log = openLog('info', openLogFile(file, { maxBytes: 1024 }))
    for (let line = 0; line < 400; line++) {
      log.info({ line, filling: 'x'.repeat(80) }, 'answered')
    }
    const files = logFilesOf(file)
    expect(files).toHaveLength(14)
    expect(readFileSync(files.find(({ bytes }) => bytes > 0)?.path ?? '', 'utf8')).toContain(
      '"line":399',
    )
    expect(readdirSync(temp.folder)).not.toContain('gateway.1.log')
  })

  it('goes on with the newest file after a restart', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.log')
    writeFileSync(join(temp.folder, 'gateway.7.log'), '{"msg":"before"}\n')
    openLog('info', openLogFile(file)).info('after')
    expect(readFileSync(join(temp.folder, 'gateway.7.log'), 'utf8')).toMatch(/before.*\n.*after/)
  })

  it(
    'keeps the gateway at work while the disk is full, and says so once a minute',
    needing('linux'),
    () => {
      using temp = tempFolder()
      // Every write there fails with ENOSPC.
      symlinkSync('/dev/full', join(temp.folder, 'gateway.1.log'))
      let now = Date.parse('2026-03-10T09:00:00.000Z')
      const told: string[] = []
      const log = openLog(
        'info',
        openLogFile(join(temp.folder, 'gateway.log'), {
          report: (line) => told.push(line),
          clock: () => now,
        }),
      )
      for (let line = 0; line < 2000; line++)
        log.info({ line, filling: 'x'.repeat(1000) }, 'answered')
      expect(told.map((line) => JSON.parse(line) as unknown)).toEqual([
        {
          level: 'error',
          time: '2026-03-10T09:00:00.000Z',
          code: 'ENOSPC',
          msg: 'the log file cannot be written',
        },
      ])
      now += 60_000
      log.info('once more')
      expect(told).toHaveLength(2)
    },
  )

  it('goes to stderr where the file cannot be opened', () => {
    using temp = tempFolder()
    writeFileSync(join(temp.folder, 'logs'), 'a file where a folder should be')
    const told: string[] = []
    const log = openLog(
      'info',
      openLogFile(join(temp.folder, 'logs', 'gateway.log'), {
        report: (line) => told.push(line),
      }),
    )
    log.info('still told')
    expect(told.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'the log file cannot be written',
      'still told',
    ])
  })

  it('lists its own files alone, the newest first', () => {
    using temp = tempFolder()
    mkdirSync(join(temp.folder, 'logs'))
    const names = ['gateway.2.log', 'gateway.10.log', 'gateway.log', 'other.3.log', 'gateway.x.log']
    for (const name of names) writeFileSync(join(temp.folder, 'logs', name), 'x')
    const file = join(temp.folder, 'logs', 'gateway.log')
    expect(logFilesOf(file).map(({ path }) => path.split(/[/\\]/).at(-1))).toEqual([
      'gateway.10.log',
      'gateway.2.log',
    ])
    expect(logFilesOf(join(temp.folder, 'nowhere', 'gateway.log'))).toEqual([])
  })
})
