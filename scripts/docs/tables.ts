import { limitTable, parameterTable, tlsTable } from './associations.ts'
import { interfaceAuthorityTable, windowAuthorityTable } from './authority.ts'
import { proposedContextTable } from './calling.ts'
import { commandTable } from './commands.ts'
import { enrichmentTable, eventTable } from './integration.ts'
import type { Tables } from './markdown.ts'
import { codeTable, objectTable } from './objects.ts'
import {
  characterSetTable,
  commitmentAttributeTable,
  headerTable,
  performedTable,
  priorKeyTable,
} from './performed.ts'
import { rejectionTable, remedyTable } from './rejections.ts'
import { dicomwebTable, retrievalKeyTable, retrievalLimitTable } from './retrieval.ts'
import {
  acceptedContextTable,
  sopClassTable,
  storageClassTable,
  storageSyntaxTable,
} from './services.ts'
import { deviceTable, portTable, settingTable } from './settings.ts'
import {
  failureReasonTable,
  quarantineTable,
  retryTable,
  statusTable,
  verdictTable,
} from './statuses.ts'
import {
  consoleTable,
  fieldTable,
  rootAttributeTable,
  stepAttributeTable,
  windowTable,
} from './worklist.ts'

/** Every table that is made of the code, by the name of its mark in a document. */
export const TABLES: Tables = {
  'commands-run': () => commandTable('run'),
  'commands-accounts': () => commandTable('accounts'),
  'commands-devices': () => commandTable('devices'),
  'commands-configuration': () => commandTable('configuration'),
  'commands-recovery': () => commandTable('recovery'),
  'commands-updates': () => commandTable('updates'),
  'commands-images': () => commandTable('images'),
  'commands-trying': () => commandTable('trying'),
  'sop-classes': sopClassTable,
  'accepted-contexts': acceptedContextTable,
  'proposed-contexts': proposedContextTable,
  'storage-sop-classes': storageClassTable,
  'storage-transfer-syntaxes': storageSyntaxTable,
  'association-parameters': parameterTable,
  'association-rejections': rejectionTable,
  'rejection-remedies': remedyTable,
  limits: limitTable,
  tls: tlsTable,
  'worklist-step-attributes': stepAttributeTable,
  'worklist-attributes': rootAttributeTable,
  'worklist-fields': fieldTable,
  'worklist-window': windowTable,
  'worklist-statuses': () => statusTable('worklist'),
  'storage-statuses': () => statusTable('storage'),
  'mpps-statuses': () => statusTable('steps'),
  'commitment-statuses': () => statusTable('commitment'),
  consoles: consoleTable,
  'storage-header': headerTable,
  quarantine: quarantineTable,
  'mpps-attributes': performedTable,
  'commitment-attributes': commitmentAttributeTable,
  'failure-reasons': failureReasonTable,
  retries: retryTable,
  'destination-answers': verdictTable,
  'prior-keys': priorKeyTable,
  'character-sets': characterSetTable,
  'settings-network': () => settingTable('dimse.'),
  'settings-worklist': () => settingTable('worklist.', 'clinic.name', 'clinic.timeZone'),
  'settings-storage': () =>
    settingTable(
      'intake.',
      'commitment.',
      'forwarding.',
      'reports.archiveCopies',
      'reports.destinationId',
    ),
  'settings-device': deviceTable,
  'settings-dicomweb': () => settingTable('dicomweb.'),
  'retrieval-keys': retrievalKeyTable,
  'retrieval-limits': retrievalLimitTable,
  'query-statuses': () => statusTable('query'),
  'retrieval-statuses': () => statusTable('retrieval'),
  'dicomweb-resources': dicomwebTable,
  ports: portTable,
  'iod-pdf': () => objectTable('pdf'),
  'iod-sr': () => objectTable('sr'),
  'iod-capture': () => objectTable('capture'),
  'iod-rejection': () => objectTable('rejection'),
  'iod-measurements': () => objectTable('measurements'),
  'iod-presentation': () => objectTable('presentation'),
  'iod-key-images': () => objectTable('keyImages'),
  codes: codeTable,
  'authority-window': windowAuthorityTable,
  'authority-interface': interfaceAuthorityTable,
  events: eventTable,
  'enrichment-fields': enrichmentTable,
}
