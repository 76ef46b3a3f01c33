import { describe, expect, it } from 'vitest'
import { openMailServer } from '#server/modules/settings/mail-server.ts'
import type { MailConfig } from '#shared/contract/dashboard-people.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const CONFIG: MailConfig = {
  ...{ host: 'smtp.clinic.example', port: 587, security: 'starttls', user: 'gateway' },
  ...{ from: 'it@clinic.example', certificate: null },
}

function mailServer() {
  const temp = tempStore()
  return {
    temp,
    store: temp.store,
    server: openMailServer(temp.store),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('the mail server', () => {
  it('is set with a password that is sealed, audited without its text, and never given back', () => {
    using mail = mailServer()
    expect(mail.server.smtp()).toBeUndefined()
    mail.server.set({ ...CONFIG, password: 'a mail password' }, 'user:usr_1')
    expect(mail.server.read()).toEqual({
      ...CONFIG,
      hasPassword: true,
      waiting: 0,
      failed: 0,
      fault: null,
    })
    expect(mail.server.smtp()).toEqual({ ...CONFIG, password: 'a mail password' })
    expect(mail.store.settings.get('mail.host')).toBe('smtp.clinic.example')
    const trail = mail.temp.store.audit.list({ limit: 20 }).items
    expect(trail[0]).toMatchObject({
      actor: 'user:usr_1',
      action: 'mail.password',
      detail: { password: 'set' },
    })
    expect(JSON.stringify([trail, mail.server.read()])).not.toContain('a mail password')
  })

  it('keeps its password until it is another server or user, or is told to forget it', () => {
    using mail = mailServer()
    mail.server.set({ ...CONFIG, password: 'a mail password' }, 'command-line')
    mail.server.set({ ...CONFIG, port: 2525 }, 'command-line')
    expect(mail.server.smtp()).toMatchObject({ port: 2525, password: 'a mail password' })
    mail.server.set({ ...CONFIG, host: 'other.example' }, 'command-line')
    expect(mail.server.smtp()).toMatchObject({ host: 'other.example', password: undefined })
    mail.server.set({ ...CONFIG, password: 'another' }, 'command-line')
    mail.server.set({ ...CONFIG, password: null }, 'command-line')
    expect(mail.server.read().hasPassword).toBe(false)
  })

  it('sends nothing without a host or a sender, and needs both', () => {
    using mail = mailServer()
    mail.server.set(CONFIG, 'command-line')
    mail.server.set({ ...CONFIG, host: null }, 'command-line')
    expect(mail.server.smtp()).toBeUndefined()
    expect(() => mail.server.set({ ...CONFIG, from: null }, 'command-line')).toThrow(
      expect.objectContaining({
        code: 'refused',
        errors: [{ path: 'body.from', message: 'must be given if a host is set' }],
      }),
    )
  })

  it('is not sent a password in plain text', () => {
    using mail = mailServer()
    expect(() =>
      mail.server.set({ ...CONFIG, security: 'none', password: 'x' }, 'command-line'),
    ).toThrow(
      expect.objectContaining({
        code: 'refused',
        errors: [expect.objectContaining({ path: 'body.security' })],
      }),
    )
    expect(mail.server.read()).toMatchObject({ host: null, hasPassword: false })
    mail.server.set({ ...CONFIG, security: 'none', user: null }, 'command-line')
    expect(mail.server.smtp()).toMatchObject({ security: 'none', user: null })
  })
})
