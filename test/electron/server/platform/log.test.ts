import { expect, it } from 'vitest'
import { openLog } from '#server/platform/log.ts'

const logged = (level: string, write: (log: ReturnType<typeof openLog>) => void): unknown[] => {
  const lines: string[] = []
  write(openLog(level, { write: (line) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line) as unknown)
}

it('writes a line of JSON with the level in words and the time in UTC', () => {
  const [line] = logged('info', (log) => log.info({ aeTitle: 'CT1' }, 'answered'))
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    aeTitle: 'CT1',
    msg: 'answered',
  })
})

it('leaves out what is below its level', () => {
  expect(logged('warn', (log) => log.info('not this'))).toEqual([])
})

it('keeps of an error its name, its code and the place, and nothing that it says or carries', () => {
  const error = Object.assign(new SyntaxError('Unexpected token in Doe^Jane'), {
    code: 'EBROKEN',
    body: 'Doe^Jane',
  })
  const [line] = logged('error', (log) => log.error({ err: error }, 'failed'))
  expect(line).toMatchObject({
    msg: 'failed',
    err: { error: 'SyntaxError EBROKEN', at: expect.stringContaining('log.test.ts') },
  })
  expect(JSON.stringify(line)).not.toContain('Doe')
})
