import { FileButton } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { showRefusal } from '../../ui/refused.ts'
import { ImportDialog } from './import-dialog.tsx'
import { type FileEntry, MAX_FILE_BYTES, readTemplateFile } from './template-file.ts'

const refuse = (
  fault: 'tooBig' | Extract<ReturnType<typeof readTemplateFile>, string> | 'unreadable',
) => showRefusal(t(`ui.templates.importing.faults.${fault}`))

/** Reads a file of templates and shows what would become of each before anything is kept. */
export function ImportButton({ templates }: { templates: readonly ReportTemplate[] }) {
  const [entries, setEntries] = useState<readonly FileEntry[] | null>(null)
  const reset = useRef<() => void>(null)

  async function read(file: File | null) {
    // Choosing the same file again is a choice too.
    reset.current?.()
    if (!file) return
    if (file.size > MAX_FILE_BYTES) return refuse('tooBig')
    const found = await file.text().then(readTemplateFile, () => 'unreadable' as const)
    if (typeof found === 'string') refuse(found)
    else setEntries(found)
  }
  return (
    <>
      <FileButton
        accept=".json,application/json"
        resetRef={reset}
        onChange={(file) => void read(file)}
      >
        {({ onClick }) => (
          <PermissionButton
            permission="writeReports"
            variant="default"
            leftSection={<IconUpload size={16} />}
            onClick={onClick}
          >
            {t('ui.templates.importing.button')}
          </PermissionButton>
        )}
      </FileButton>
      {entries && (
        <ImportDialog entries={entries} templates={templates} onClose={() => setEntries(null)} />
      )}
    </>
  )
}
