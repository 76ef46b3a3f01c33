/** What the sources say and no person reads at the window, each with its reason. */

export const NOT_READ_FILES: readonly { readonly files: RegExp; readonly why: string }[] = [
  { files: /store\/(?!backup|storage-fault)/, why: 'SQL, names of sealed values, and errors at the start, which the terminal shows' },
  { files: /gateway\/(commands|viewer-commands|control|recover|doctor|start-error|port-holder|modality-simulation|listeners)\.ts$/, why: 'the command line' },
  { files: /http\/(openapi|example|reference|json-schema|document|page|browser-name|idempotency|json-body|partners)\.ts$/, why: 'for programs of partners, and pages without the window' },
  { files: /mail\/message\.ts$/, why: 'texts of mails' },
  { files: /webhooks\/(sample-values|test-event|signature)\.ts$/, why: 'invented events' },
  { files: /domain\/(report-pdf.*|woff|signed-.*|association-support)\.ts$/, why: 'text of documents: a report is in the language of its clinic, and support reads English' },
  { files: /dimse\/(state-machine|uids|report-document|secondary-capture|pdu-.*|data-set.*|named-data-set|command-set|message|header-reader|inflater|normalized|status|file-meta|basic-worklist|operation-queue|secondary.*)\.ts$/, why: 'the protocol, in the words of the standard: for the vendor of the device' },
  { files: /intake\/(performed-(data|step)|report-instances|header)\.ts$/, why: 'comments of errors, which a device is told' },
  { files: /worklist\/(console-rules|romanization|matching|span|received-key|row)\.ts$/, why: 'rules of consoles with their sources, for the vendor of the device' },
  { files: /shared\/(report-words|report-text|modalities)\.ts$/, why: 'words of reports' },
  { files: /gateway\/own-network\.ts$/, why: 'commands for a terminal' },
]

export const NOT_READ_FORMS: readonly { readonly form: RegExp; readonly why: string; readonly within?: RegExp }[] = [
  { form: /^(GET|POST|PUT|PATCH|DELETE) \//, why: 'addresses of operations' },
  { form: /^[A-Z].*[^.…?!]$/s, within: /^shared\/contract\//, why: 'what an operation is for, and names: the document for programs has them' },
  { form: /\n/, why: 'text for programs' },
  { form: /^(select|insert|update|delete|create|with|where|from|begin|order by) |(=|<|>) ?\?|= '|\bnull$/, why: 'SQL' },
  { form: /^[\w-]+\/[\w.+-]+; |^(attachment|inline);|^(public|private), |charset=|^rgb\(|realm=|error="/, why: 'headers and colours' },
  { form: /^--|^\[--/, why: 'the command line' },
]

export const NOT_READ_TEXTS: readonly { readonly texts: readonly string[]; readonly why: string }[] = []
