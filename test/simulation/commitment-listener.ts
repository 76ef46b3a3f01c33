import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { EXPLICIT, text } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { accepted, startAcceptor } from '../support/acceptor.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'

/** Where devices hear what became of their storage commitment requests. */
export interface CommitmentListener extends AsyncDisposable {
  readonly port: number
  /** Somebody talks to it. */
  isBusy(): boolean
  /** A run that was ended is not heard. */
  isDeaf: boolean
}

export async function listenForCommitments(
  random: Random,
  ledger: Ledger,
): Promise<CommitmentListener> {
  let open = 0
  let heard = 0
  const acceptor = await startAcceptor({
    associate(request, peer) {
      open++
      peer.socket.once('close', () => open--)
      // The device is switched off now and then.
      if (listener.isDeaf || random.of(`commitment ${heard++}`) < 0.15) {
        peer.socket.destroy()
        return 'silence'
      }
      return accepted(request, { user: { ...request.user, roles: request.user.roles } })
    },
    message(message, peer) {
      const dataSet = Buffer.isBuffer(message.dataSet) ? readDataSet(message.dataSet, EXPLICIT) : []
      const named = dataSet
        .filter(({ vr }) => vr === 'SQ')
        .map(({ tag, value }) => ({ tag, items: value as (typeof dataSet)[] }))
      const committed = named.find(({ tag }) => tag === REFERENCED)?.items ?? []
      if (!listener.isDeaf)
        ledger.commitments.push({
          transactionUid: text(dataSet, 'TransactionUID') ?? '',
          committed: committed.map((item) => text(item, 'ReferencedSOPInstanceUID') ?? ''),
        })
      peer.respond(message, 0)
    },
  })
  const listener: CommitmentListener = {
    port: acceptor.port,
    isBusy: () => open > 0,
    isDeaf: false,
    [Symbol.asyncDispose]: () => acceptor[Symbol.asyncDispose](),
  }
  return listener
}

/** ReferencedSOPSequence. */
const REFERENCED = 0x00081199
