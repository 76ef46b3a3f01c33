import { describe, expect, it } from 'vitest'
import type { Actor } from '#server/audit-log/audit.ts'
import { listDestinations, recordError } from '#server/modules/forwarding/destination-queries.ts'
import {
  addDestination,
  removeDestination,
  requireDestination,
  updateDestination,
} from '#server/modules/forwarding/destinations.ts'
import { type DestinationPatch, NewDestination } from '#shared/contract/destinations.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import type { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { ACTOR } from './forwarding-fixture.ts'

const destination = (more: Partial<NewDestination> = {}) =>
  NewDestination.parse({
    name: 'PACS',
    aeTitle: 'PACS',
    host: 'pacs.clinic.example',
    port: 11112,
    ...more,
  })

function stage() {
  const temp = tempStore()
  const { store } = temp
  const destinations = {
    list: () => listDestinations(store.database),
    existing: (id: string) => requireDestination(store.database, id),
    add: (given: NewDestination, actor: Actor) => addDestination(store, given, actor),
    update: (id: string, patch: DestinationPatch, actor: Actor) =>
      updateDestination(store, id, patch, actor),
    remove: (id: string, actor: Actor) => removeDestination(store, id, actor),
    recordError: (id: string, lastError: string) =>
      recordError(store.database, id, verbatim(lastError)),
  }
  return {
    ...{ temp, destinations },
    /** The field and its fault. */
    refusal(work: () => unknown): string {
      try {
        work()
      } catch (error) {
        const [fault] = (error as ApiError).errors
        return `${(error as ApiError).code} ${fault?.path} ${fault && englishText(fault.message)}`
      }
      return 'not refused'
    },
    audit: () => temp.store.audit.list({ limit: 10 }).items,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('destinations', () => {
  it('are kept as they are given, with who gave them in the audit trail', () => {
    using on = stage()
    const made = on.destinations.add(
      destination({ modalities: ['CT', 'MR'], isAutomatic: true }),
      ACTOR,
    )
    expect(on.destinations.list()).toEqual([made])
    expect(made).toMatchObject({
      name: 'PACS',
      modalities: ['CT', 'MR'],
      isAutomatic: true,
      isTls: false,
      lastError: null,
      lastSentAt: null,
    })
    expect(on.audit()).toMatchObject([
      { actor: ACTOR, action: 'destination.add', target: made.destinationId },
    ])
  })

  it('are changed field by field, and a change of nothing leaves no trace', () => {
    using on = stage()
    const { destinationId } = on.destinations.add(destination(), ACTOR)
    on.temp.clock.pass(1000)
    expect(on.destinations.update(destinationId, { port: 104 }, ACTOR)).toMatchObject({
      port: 104,
      updatedAt: '2026-03-10T09:00:01.000Z',
    })
    expect(on.destinations.update(destinationId, { port: 104 }, ACTOR)).toMatchObject({ port: 104 })
    expect(on.audit().map(({ action, detail }) => [action, detail])).toEqual([
      ['destination.update', { port: { before: 11112, after: 104 } }],
      ['destination.add', expect.anything()],
    ])
  })

  it('differ in their names and in the nodes they are', () => {
    using on = stage()
    on.destinations.add(destination(), ACTOR)
    expect(
      on.refusal(() => on.destinations.add(destination({ name: 'pacs ', port: 104 }), ACTOR)),
    ).toBe('refused body.name must differ from that of every other destination')
    expect(
      on.refusal(() =>
        on.destinations.add(
          destination({ name: 'Other', host: 'PACS.clinic.example', aeTitle: 'pacs' }),
          ACTOR,
        ),
      ),
    ).toBe('refused body.aeTitle must differ from that of PACS, or have another host or port')
    expect(on.destinations.list()).toHaveLength(1)
  })

  it('are never the gateway itself, to which everything would be sent for ever', () => {
    using on = stage()
    const itself = destination({
      aeTitle: 'isthmus',
      host: '127.0.0.1',
      port: SETTINGS['dimse.port'].initial,
    })
    expect(on.refusal(() => on.destinations.add(itself, ACTOR))).toBe(
      'refused body.host must be that of another system',
    )
  })

  it('take a certificate that is one', () => {
    using on = stage()
    const pem = '-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n'
    expect(
      on.refusal(() => on.destinations.add(destination({ isTls: true, certificate: pem }), ACTOR)),
    ).toBe('malformed body.certificate must be a certificate in PEM format')
  })

  it('that are unknown are not found', () => {
    using on = stage()
    expect(() => on.destinations.existing('nobody')).toThrow('There is no such destination.')
    expect(() => on.destinations.update('nobody', { port: 104 }, ACTOR)).toThrow(
      'There is no such destination.',
    )
    expect(() => on.destinations.remove('nobody', ACTOR)).toThrow('There is no such destination.')
  })
})
