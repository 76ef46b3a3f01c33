import { ActionIcon, Group, SegmentedControl, Table, Text, Tooltip } from '@mantine/core'
import { IconCopy, IconPencil, IconPlus, IconTemplate, IconTrash, type Icon as TablerIcon } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardReports, type ReportTemplate } from '#shared/contract/reports.ts'
import { MayButton } from '../components/allowed.tsx'
import { Ago } from '../components/clock.tsx'
import { Confirm } from '../components/confirm.tsx'
import { FormDrawer } from '../components/form-drawer.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { showDone } from '../components/undo.tsx'
import { useReply, useSend } from '../gateway.ts'
import { ReadingTabs } from '../reading/tabs.tsx'
import { useMayManage, useSession } from '../session.ts'
import { ExportMenu } from './export-menu.tsx'
import { ImportButton } from './import-button.tsx'
import { scopeText } from './scope.ts'
import { TemplateForm } from './template-form.tsx'
import css from './templates.module.css'
import { words } from './words.ts'

const SHOWS = ['all', 'template', 'macro'] as const
interface Editing {
  readonly template: ReportTemplate | null
  readonly like: ReportTemplate | null
}

/** Templates and macros: mine and everybody's. */
export function Templates() {
  const reply = useReply(dashboardReports.templates, { query: {} })
  const [show, setShow] = useState<(typeof SHOWS)[number]>('all')
  const [editing, setEditing] = useState<Editing | null>(null)
  const [removing, setRemoving] = useState<ReportTemplate | null>(null)
  const me = useSession().data?.user?.userId
  const all = reply.data?.templates ?? []
  const templates = all.filter(({ kind }) => show === 'all' || kind === show)
  const add = (
    <MayButton permission="writeReports" leftSection={<IconPlus size={16} />} onClick={() => setEditing({ template: null, like: null })}>
      {words.add}
    </MayButton>
  )
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <>
          <ImportButton templates={all} />
          <ExportMenu mine={all.filter(({ owner }) => owner?.userId === me)} everybodys={all.filter(({ owner }) => owner === null)} />
          {add}
        </>
      }
    >
      <ReadingTabs />
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={words.showLabel}
          value={show}
          onChange={setShow}
          data={SHOWS.map((value) => ({ value, label: words.shows[value] }))}
        />
      </Group>
      {reply.isPending && <Waiting rows={5} />}
      {reply.isError && <Failed error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.isSuccess && templates.length === 0 && (
        <Panel>
          <Empty icon={<IconTemplate size={34} stroke={1.3} />} title={words.none}>
            {words.noneText}
          </Empty>
        </Panel>
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
      <FormDrawer
        opened={editing !== null}
        onClose={() => setEditing(null)}
        size="min(1000px, 94vw)"
        title={editing?.template?.name ?? words.form.addTitle}
      >
        {editing && (
          <TemplateForm
            key={`${editing.template?.templateId} ${editing.like?.templateId}`}
            template={editing.template}
            like={editing.like}
            onDone={() => setEditing(null)}
          />
        )}
      </FormDrawer>
      {removing && <Remove template={removing} onDone={() => setRemoving(null)} />}
    </Page>
  )
}

interface Acts {
  readonly onEdit: (template: ReportTemplate) => void
  readonly onCopy: (template: ReportTemplate) => void
  readonly onRemove: (template: ReportTemplate) => void
}

function TemplateTable({ templates, ...acts }: { templates: readonly ReportTemplate[] } & Acts) {
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table horizontalSpacing={16} verticalSpacing={7} highlightOnHover highlightOnHoverColor="var(--hover)">
        <Table.Thead>
          <Table.Tr>
            {Object.values(words.columns).map((name) => (
              <Table.Th key={name} ta={name === words.columns.actions ? 'right' : undefined}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {templates.map((template) => (
            <Row key={template.templateId} template={template} {...acts} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Row({ template, onEdit, onCopy, onRemove }: { template: ReportTemplate } & Acts) {
  const me = useSession().data?.user
  const mayManage = useMayManage()
  const { name, kind, shortcut, owner, text, updatedAt } = template
  const mayChange = owner === null ? mayManage : owner.userId === me?.userId
  return (
    <Table.Tr>
      <Table.Td>
        <b>{name}</b> <span className={css.quiet}>{words.kinds[kind]}</span>
        <Text fz="sm" c="dimmed" className={css.beginning}>
          {text}
        </Text>
      </Table.Td>
      <Table.Td>{shortcut && <span className="mono">{shortcut}</span>}</Table.Td>
      <Table.Td>{scopeText(template)}</Table.Td>
      <Table.Td>{owner === null ? words.everybody : owner.userId === me?.userId ? words.mine : owner.name}</Table.Td>
      <Table.Td>
        <Ago instant={updatedAt} />
      </Table.Td>
      <Table.Td>
        <Group gap={2} justify="flex-end" wrap="nowrap">
          {mayChange && <Act icon={IconPencil} label={words.edit(name)} onClick={() => onEdit(template)} />}
          <Act icon={IconCopy} label={words.copy(name)} onClick={() => onCopy(template)} />
          {mayChange && <Act icon={IconTrash} label={words.remove(name)} onClick={() => onRemove(template)} />}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

function Act({ icon: Icon, label, onClick }: { icon: TablerIcon; label: string; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={onClick}>
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  )
}

function Remove({ template, onDone }: { template: ReportTemplate; onDone: () => void }) {
  const remove = useSend(dashboardReports.removeTemplate, [dashboardReports.templates])
  const add = useSend(dashboardReports.addTemplate, [dashboardReports.templates])
  function done() {
    const { templateId: _, owner, updatedAt: __, ...fields } = template
    showDone(words.removed(template.name), () => add.mutate({ body: { ...fields, for: owner === null ? 'everybody' : 'mine' } }))
    onDone()
  }
  return (
    <Confirm
      isOpen
      title={words.removeTitle}
      action={words.removeAction}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onDone}
      onConfirm={() => remove.mutate({ params: { templateId: template.templateId } }, { onSuccess: done })}
    >
      {words.removeText(template.name)}
    </Confirm>
  )
}
