import { Group, SegmentedControl } from '@mantine/core'
import { IconPlus, IconTemplate } from '@tabler/icons-react'
import { useState } from 'react'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { EmptyList } from '../../ui/paged-table.tsx'
import { ReadingTabs } from '../../ui/sections/report-tabs.tsx'
import { showDone } from '../../ui/undo.tsx'
import { ExportMenu } from './export-menu.tsx'
import { ImportButton } from './import-button.tsx'
import { TemplateForm } from './template-form.tsx'
import { TemplateTable } from './template-table.tsx'

const TEMPLATE_FILTERS = ['all', 'template', 'macro'] as const
interface EditorState {
  readonly template: ReportTemplate | null
  readonly like: ReportTemplate | null
}

/** Templates and macros: mine and everybody's. */
export function Templates() {
  const reply = useReply(dashboardReports.templates, { query: {} })
  const [show, setShow] = useState<(typeof TEMPLATE_FILTERS)[number]>('all')
  const [editing, setEditing] = useState<EditorState | null>(null)
  const [removing, setRemoving] = useState<ReportTemplate | null>(null)
  const me = useSession().data?.user?.userId
  const all = reply.data?.templates ?? []
  const templates = all.filter(({ kind }) => show === 'all' || kind === show)
  return (
    <Page
      title={t('ui.templates.title')}
      about={t('ui.templates.about')}
      actions={
        <>
          <ImportButton templates={all} />
          <ExportMenu
            mine={all.filter(({ owner }) => owner?.userId === me)}
            everybodys={all.filter(({ owner }) => owner === null)}
          />
          <PermissionButton
            permission="writeReports"
            leftSection={<IconPlus size={16} />}
            onClick={() => setEditing({ template: null, like: null })}
          >
            {t('ui.templates.add')}
          </PermissionButton>
        </>
      }
    >
      <ReadingTabs />
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={t('ui.templates.showLabel')}
          value={show}
          onChange={setShow}
          data={TEMPLATE_FILTERS.map((value) => ({
            value,
            label: t(`ui.templates.shows.${value}`),
          }))}
        />
      </Group>
      {reply.isPending && <LoadingPlaceholder rows={5} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.isSuccess && templates.length === 0 && (
        <EmptyList
          icon={IconTemplate}
          title={t('ui.templates.none')}
          text={t('ui.templates.noneText')}
        />
      )}
      {templates.length > 0 && (
        <Panel isFlush>
          <TemplateTable
            templates={templates}
            onEdit={(template) => setEditing({ template, like: null })}
            onCopy={(like) => setEditing({ template: null, like })}
            onRemove={setRemoving}
          />
        </Panel>
      )}
      <EditDrawer editing={editing} onDone={() => setEditing(null)} />
      {removing && <RemoveTemplateDialog template={removing} onDone={() => setRemoving(null)} />}
    </Page>
  )
}

function EditDrawer({ editing, onDone }: { editing: EditorState | null; onDone: () => void }) {
  return (
    <FormDrawer
      opened={editing !== null}
      onClose={onDone}
      size="min(1000px, 94vw)"
      title={editing?.template?.name ?? t('ui.templates.form.addTitle')}
    >
      {editing && (
        <TemplateForm
          key={`${editing.template?.templateId} ${editing.like?.templateId}`}
          template={editing.template}
          like={editing.like}
          onDone={onDone}
        />
      )}
    </FormDrawer>
  )
}

function RemoveTemplateDialog({
  template,
  onDone,
}: {
  template: ReportTemplate
  onDone: () => void
}) {
  const remove = useSend(dashboardReports.removeTemplate, [dashboardReports.templates])
  const add = useSend(dashboardReports.addTemplate, [dashboardReports.templates])
  function done() {
    const { templateId: _, owner, updatedAt: __, ...fields } = template
    showDone(t('ui.templates.removed', { name: template.name }), () =>
      add.mutate({ body: { ...fields, for: owner === null ? 'everybody' : 'mine' } }),
    )
    onDone()
  }
  return (
    <ConfirmAction
      isOpen
      title={t('ui.templates.removeTitle')}
      action={t('ui.templates.removeAction')}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onDone}
      onConfirm={() =>
        remove.mutate({ params: { templateId: template.templateId } }, { onSuccess: done })
      }
    >
      {t('ui.templates.removeText', { name: template.name })}
    </ConfirmAction>
  )
}
