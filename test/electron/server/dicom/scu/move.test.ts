import { describe, expect, it, vi } from 'vitest'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { REQUESTOR_LIMITS, type RequestorLimits } from '#server/dicom/scu/association-request.ts'
import { type MoveProgress, type MoveResult, moveStudy } from '#server/dicom/scu/move.ts'
import { type Acceptor, type Script, startAcceptor } from '../../../../support/acceptor.ts'

async function move(
  { port }: Acceptor,
  signal?: AbortSignal,
  seen?: (progress: MoveProgress) => void,
  limits?: Partial<RequestorLimits>,
): Promise<MoveResult> {
  const peer = { host: '127.0.0.1', port, aeTitle: 'PACS' }
  const moving = moveStudy({ peer, callingAeTitle: 'ISTHMUS', limits, signal }, '2.25.1')
  for (;;) {
    const { done, value } = await moving.next()
    if (done) return value
    seen?.(value)
  }
}

const ending = (status: number, more: Partial<CommandSet> = {}): Script => ({
  message: (message, peer) => peer.respond(message, status, more),
})

describe('a C-MOVE', () => {
  it.each([
    [0x0000, { completedSuboperations: 5 }, true, '5 images were received'],
    [
      0x0000,
      { completedSuboperations: 4, failedSuboperations: 1 },
      false,
      '4 images were received, 1 could not be sent',
    ],
    [0x0000, {}, true, 'PACS has no images for this study'],
    [
      0xb000,
      { completedSuboperations: 4, failedSuboperations: 2 },
      false,
      '4 images were received, 2 could not be sent',
    ],
    [
      0xa801,
      {},
      false,
      'PACS does not know ISTHMUS as a destination: add it there, with the host and port of this gateway',
    ],
    [0x0124, {}, false, 'PACS does not allow ISTHMUS to retrieve: allow it there'],
    [
      0xc123,
      { errorComment: 'tape missing' },
      false,
      'PACS refused the request with the status C123: tape missing',
    ],
  ])('that ends with %i says so', async (status, counts, isComplete, detail) => {
    await using archive = await startAcceptor(ending(status, counts))
    expect(await move(archive)).toMatchObject({ status, isComplete, detail })
  })

  it('is cancelled, and the answer to that is waited for', async () => {
    const stop = new AbortController()
    let asked: CommandSet | undefined
    await using archive = await startAcceptor({
      message: (message, peer) => {
        if (message.command.commandField === COMMAND_FIELD['C-CANCEL-RQ']) {
          const response = {
            commandField: 0x8021,
            messageIdBeingRespondedTo: asked?.messageId ?? 0,
            completedSuboperations: 2,
          }
          peer.respond(message, 0xfe00, { ...response, remainingSuboperations: 7 })
          return
        }
        asked = message.command
        peer.respond(message, 0xff00, {
          remainingSuboperations: 8,
          completedSuboperations: 1,
          failedSuboperations: 0,
          warningSuboperations: 0,
        })
      },
    })
    const seen: MoveProgress[] = []
    const result = await move(archive, stop.signal, (progress) => {
      seen.push(progress)
      stop.abort()
    })
    expect(seen).toEqual([{ remaining: 8, completed: 1, failed: 0, warning: 0 }])
    expect(result).toMatchObject({
      status: 0xfe00,
      completed: 2,
      remaining: 7,
      isComplete: false,
      detail: 'cancelled after 2 images',
    })
    expect(asked).toMatchObject({
      moveDestination: 'ISTHMUS',
      commandField: COMMAND_FIELD['C-MOVE-RQ'],
    })
  })

  it('is given up where a cancel is not answered: the association is aborted, not waited for', async () => {
    const stop = new AbortController()
    await using archive = await startAcceptor({
      message: (message, peer) => {
        if (message.command.commandField === COMMAND_FIELD['C-MOVE-RQ'])
          peer.respond(message, 0xff00, { remainingSuboperations: 8 })
      },
    })
    const moving = move(archive, stop.signal, () => stop.abort(), { cancelSeconds: 0.05 })
    await expect(moving).rejects.toThrow('did not cancel within')
    await vi.waitFor(() => expect(archive.received.at(-1)?.type).toBe('A-ABORT'))
    expect(archive.messages.at(-1)?.command.commandField).toBe(COMMAND_FIELD['C-CANCEL-RQ'])
    expect(REQUESTOR_LIMITS.cancelSeconds).toBe(30)
  })
})
