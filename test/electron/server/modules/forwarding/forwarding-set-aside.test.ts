import { describe, expect, it } from 'vitest'
import { countForwards } from '#server/modules/forwarding/forward-queries.ts'
import { enqueueInstance, releaseInstance } from '#server/modules/forwarding/queue.ts'
import { setInstanceState } from '#server/modules/images/instance-queries.ts'
import { verbatim } from '#shared/messages/message.ts'
import { freePort } from '../../../../support/free-port.ts'
import { ACTOR, forwardingStage, openArchive, STUDY } from './forwarding-fixture.ts'

const MINUTE_MS = 60_000

describe('forwarding', () => {
  it('does not send on what was put in quarantine while it waited', async () => {
    await using stage = forwardingStage()
    const port = await freePort()
    const { destinationId } = stage.add(port)
    const instance = await stage.keep('1.2.1')
    await stage.forwarding.settled()
    setInstanceState(
      stage.store.database,
      instance.instanceId,
      'quarantined',
      'wrong-step',
      verbatim('the wrong worklist entry was selected'),
    )
    await using archive = await openArchive({ port })
    stage.clock.pass(MINUTE_MS)
    await stage.forwarding.settled()
    expect(archive.requests).toEqual([])
    expect(stage.states(destinationId)).toEqual([
      '1.2.1 dropped 0 The image is in quarantine: it is not sent until a user releases it.',
    ])
  })

  it('queues nothing that is set aside as it comes', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    const aside = {
      state: 'quarantined',
      reason: 'wrong-step',
      detail: verbatim('the wrong worklist entry was selected'),
    } as const
    const instance = await stage.keep('1.2.1', aside)
    enqueueInstance(stage.store, instance)
    await stage.forwarding.settled()
    expect([archive.requests, stage.states(destinationId)]).toEqual([[], []])
  })

  it('drops what waits or failed of an instance that is set aside, with the reason, and sends it once it is released', async () => {
    await using stage = forwardingStage()
    const port = await freePort()
    const automatic = stage.add(port)
    const asked = stage.add(port, { name: 'Second opinion', aeTitle: 'SECOND', isAutomatic: false })
    const instance = await stage.keep('1.2.1')
    stage.forwarding.send(asked.destinationId, STUDY, ACTOR)
    await stage.forwarding.settled()
    stage.store.database.transaction(() => {
      setInstanceState(
        stage.store.database,
        instance.instanceId,
        'quarantined',
        'wrong-step',
        verbatim('the wrong worklist entry was selected'),
      )
      stage.forwarding.instancesQuarantined([instance])
    })
    const dropped = [
      '1.2.1 dropped The image is in quarantine: it is not sent until a user releases it.',
    ]
    const statesAt = ({ destinationId }: { destinationId: string }) =>
      stage.states(destinationId).map((line) => line.replace(/ \d /, ' '))
    expect([automatic, asked].map(statesAt)).toEqual([dropped, dropped])
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })
    expect(stage.audit()[0]).toMatchObject({
      actor: 'gateway',
      action: 'forward.set-aside',
      detail: { studyInstanceUid: STUDY, instances: 1 },
    })
    // Nothing brings it back but its release.
    await stage.forwarding.retry(asked.destinationId, STUDY, ACTOR)
    expect(() => stage.forwarding.send(asked.destinationId, STUDY, ACTOR)).toThrow(
      'There are no images for this study.',
    )
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })

    await using archive = await openArchive({ port })
    stage.store.database.transaction(() => {
      setInstanceState(stage.store.database, instance.instanceId, 'current')
      releaseInstance(stage.store, instance)
    })
    expect(stage.states(automatic.destinationId)).toEqual(['1.2.1 waiting 0'])
    stage.clock.pass(MINUTE_MS)
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1', '1.2.1'])
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })
  })

  it('ends a transfer under way when what it sends is set aside, and goes on with the others', async () => {
    let setAside = () => {}
    await using archive = await openArchive({
      async answer({ sopInstanceUid }) {
        if (sopInstanceUid === '1.2.1') setAside()
        return { status: 0x0000 }
      },
    })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    await stage.keep('1.2.1')
    const wrong = await stage.keep('1.2.2')
    await stage.keep('1.2.3')
    setAside = () => {
      setAside = () => {}
      stage.store.database.transaction(() => {
        setInstanceState(
          stage.store.database,
          wrong.instanceId,
          'quarantined',
          'wrong-step',
          verbatim('the wrong worklist entry was selected'),
        )
        stage.forwarding.instancesQuarantined([wrong])
      })
    }
    await stage.forwarding.settled()
    await stage.forwarding.settled()
    expect(archive.received).not.toContain('1.2.2')
    expect(archive.received).toContain('1.2.3')
    expect(
      stage.states(destinationId).map((line) => line.split(' ').slice(0, 2).join(' ')),
    ).toEqual([...['1.2.2 dropped', '1.2.1 sent', '1.2.3 sent']])
  })
})
