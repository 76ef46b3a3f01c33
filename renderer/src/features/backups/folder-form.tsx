import { TextInput } from '@mantine/core'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Findings } from '../../ui/findings.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import css from './backups.module.css'
import { useBackupFolder } from './use-backup-folder.ts'

const CHANGES = [
  dashboardBackups.state,
  dashboard.settings,
  dashboardSetup.state,
  dashboardSetup.readiness,
]

/** The folder in which backups are kept. */
export function FolderForm({ folder }: { folder: string | null }) {
  const { use, form, submit } = useBackupFolder(folder, CHANGES)
  const isChanged = form.values.folder.trim() !== (folder ?? '')
  return (
    <form onSubmit={submit} className={`${css.row} ${css.first}`}>
      <div>
        <div className={css.label}>{t('ui.backups.plan.folder.label')}</div>
        <div className={css.about}>{t('ui.backups.plan.folder.description')}</div>
      </div>
      <div>
        <div className={css.fields}>
          <TextInput
            aria-label={t('ui.backups.plan.folder.label')}
            placeholder={t('ui.backups.plan.example')}
            maxLength={1000}
            required
            withAsterisk={false}
            spellCheck={false}
            style={{ flex: '1 1 260px' }}
            styles={{ input: { fontFamily: 'var(--mono)', fontSize: 13 } }}
            {...form.getInputProps('folder')}
          />
          {(isChanged || folder === null) && (
            <PermissionButton permission="manageGateway" type="submit" loading={use.isPending}>
              {t('ui.backups.plan.use')}
            </PermissionButton>
          )}
        </div>
        <div role="status">
          {use.error && use.error.errors.length === 0 && <ErrorNotice error={use.error} />}
          {use.data && <Findings findings={use.data.findings} />}
        </div>
      </div>
    </form>
  )
}
