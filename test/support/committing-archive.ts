import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { type CommittedInstance, sendEventReport } from '#server/dicom/scu/event-report.ts'
import { type Acceptor, startAcceptor } from './acceptor.ts'

/**
 * An archive that accepts every image and, when it is asked, confirms over an association of its own
 * that it keeps all of them (PS3.4 J.3).
 */
export const startCommittingArchive = (gatewayPort: number, aeTitle: string): Promise<Acceptor> =>
  startAcceptor({
    message(message, peer) {
      peer.respond(message, 0x0000)
      const { command, dataSet } = message
      if (command.commandField !== COMMAND_FIELD['N-ACTION-RQ'] || !Buffer.isBuffer(dataSet)) return
      const elements = readDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian)
      type Elements = typeof elements
      const elementOf = (of: Elements, keyword: string) =>
        of.find(({ tag }) => tag === tagOf(keyword))?.value
      const uid = (of: Elements, keyword: string) =>
        String(elementOf(of, keyword)).replace(/\0$/, '')
      const items = (elementOf(elements, 'ReferencedSOPSequence') ?? []) as readonly Elements[]
      const committed = items.map(
        (item): CommittedInstance => ({
          sopClassUid: uid(item, 'ReferencedSOPClassUID'),
          sopInstanceUid: uid(item, 'ReferencedSOPInstanceUID'),
        }),
      )
      const gateway = { host: '127.0.0.1', port: gatewayPort, aeTitle: 'ISTHMUS' }
      void sendEventReport(
        { peer: gateway, callingAeTitle: aeTitle },
        { transactionUid: uid(elements, 'TransactionUID'), committed, failed: [] },
      )
    },
  })
