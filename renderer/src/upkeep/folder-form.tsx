import { TextInput } from '@mantine/core'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardUpkeep } from '#shared/contract/dashboard-upkeep.ts'
import { MayButton } from '../components/allowed.tsx'
import { Failed } from '../components/page.tsx'
import { t } from '../i18n/t.ts'
import { Findings } from '../setup/findings.tsx'
import css from './upkeep.module.css'
import { useBackupFolder } from './use-backup-folder.ts'

const CHANGES = [
  dashboardUpkeep.state,
  dashboard.settings,
  dashboardSetup.state,
  dashboardSetup.readiness,
]

/** The folder in which back-ups are kept. */
export function FolderForm({ folder }: { folder: string | null }) {
  const { use, form, submit } = useBackupFolder(folder, CHANGES)
  const isChanged = form.values.folder.trim() !== (folder ?? '')
  return (
    <form onSubmit={submit} className={`${css.row} ${css.first}`}>
      <div>
        <div className={css.label}>{t('ui.upkeep.plan.folder.label')}</div>
        <div className={css.about}>{t('ui.upkeep.plan.folder.description')}</div>
      </div>
      <div>
        <div className={css.fields}>
          <TextInput
            aria-label={t('ui.upkeep.plan.folder.label')}
            placeholder={t('ui.upkeep.plan.example')}
            maxLength={1000}
            required
            withAsterisk={false}
            spellCheck={false}
            style={{ flex: '1 1 260px' }}
            styles={{ input: { fontFamily: 'var(--mono)', fontSize: 13 } }}
            {...form.getInputProps('folder')}
          />
          {(isChanged || folder === null) && (
            <MayButton permission="manageGateway" type="submit" loading={use.isPending}>
              {t('ui.upkeep.plan.use')}
            </MayButton>
          )}
        </div>
        <div role="status">
          {use.error && use.error.errors.length === 0 && <Failed error={use.error} />}
          {use.data && <Findings findings={use.data.findings} />}
        </div>
      </div>
    </form>
  )
}
