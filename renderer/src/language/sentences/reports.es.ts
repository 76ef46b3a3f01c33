import type { Sentence } from '../catalogue.ts'

export const REPORTS: readonly Sentence[] = [
  ['The partner gave no clinical context: {}.', 'El socio no dio contexto clínico: {0}.'],
  ['It could not be fetched: {}.', 'No se pudo obtener: {0}.'],
  ['It added nothing to the study.', 'No añadió nada al estudio.'],
  ['Kept with the study: {}.', 'Se guardó con el estudio: {0}.'],
  ['There is no such signed report.', 'No existe ese informe firmado.'],
  [
    'Your account may not send reports: it may neither write them nor manage studies.',
    'Su cuenta no puede enviar informes: no puede redactarlos ni gestionar estudios.',
  ],
  ['There is no such document.', 'No existe ese documento.'],
  [
    'This link is for viewing: for dictation another one must be made.',
    'Este enlace es para ver: para dictar hay que crear otro.',
  ],
  ['This link is for another study.', 'Este enlace es de otro estudio.'],
  [
    '{} more documents were named than are fetched.',
    'Se indicaron {0} documentos más de los que se obtienen.',
  ],
  [
    'It was not fetched: the documents named before it are too large together.',
    'No se obtuvo: los documentos indicados antes ocupan demasiado en conjunto.',
  ],
  [
    'The images differ from the worklist or the study in the patient or the exam.',
    'Las imágenes difieren de la lista de trabajo o del estudio en el paciente o la exploración.',
  ],
  [
    'The images differ from the worklist or the study, and the identity check was overridden.',
    'Las imágenes difieren de la lista de trabajo o del estudio, y la comprobación de identidad se anuló.',
  ],
  [
    'the images of the study differ from the worklist or the study in the patient or the exam',
    'las imágenes del estudio difieren de la lista de trabajo o del estudio en el paciente o la exploración',
  ],
  [
    'The identity of this study is not a mismatch: there is nothing to override.',
    'La identidad de este estudio no es una discrepancia: no hay nada que anular.',
  ],
  [
    'The images differ in something else by now: look at the differences again.',
    'Las imágenes difieren ya en otra cosa: vuelva a mirar las diferencias.',
  ],
  [
    'The identity check of this study was not overridden.',
    'La comprobación de identidad de este estudio no se anuló.',
  ],
  [
    'A report was signed since: what is wrong with it is corrected by an addendum.',
    'Desde entonces se firmó un informe: lo que esté mal en él se corrige con una adenda.',
  ],
  ['There is no such critical result.', 'No existe ese resultado crítico.'],
  [
    'Your account may not document this: it may neither write reports nor manage studies.',
    'Su cuenta no puede documentar esto: no puede redactar informes ni gestionar estudios.',
  ],
  [
    'It is documented already, by {}: what was documented stays.',
    'Ya está documentado, por {0}: lo documentado se mantiene.',
  ],
  [
    'The report is signed: what is to be added goes into an addendum.',
    'El informe está firmado: lo que haya que añadir va en una adenda.',
  ],
  [
    '{} is writing this report now: take it over to write.',
    '{0} está redactando este informe ahora: asúmalo para escribir.',
  ],
  [
    '{} has begun this report: take it over to write.',
    '{0} ha empezado este informe: asúmalo para escribir.',
  ],
  [
    'The study is assigned to {}: take it over to write.',
    'El estudio está asignado a {0}: asúmalo para escribir.',
  ],
  [
    'Your account may not sign reports: an owner or an admin can allow it to create reports.',
    'Su cuenta no puede firmar informes: un propietario o administrador puede permitirle crear informes.',
  ],
  ['Nothing is being written on this study.', 'No se está redactando nada en este estudio.'],
  [
    'The study goes on changing while it is signed: try again.',
    'El estudio sigue cambiando mientras se firma: inténtelo de nuevo.',
  ],
  [
    'Only an owner or an admin may change what is everybody’s: make one of your own.',
    'Solo un propietario o administrador puede cambiar lo que es de todos: cree una propia.',
  ],
  ['There is no such template.', 'No existe esa plantilla.'],
  [
    'Nothing is being written on this study: begin the report first.',
    'No se está redactando nada en este estudio: empiece primero el informe.',
  ],
  ['{} has this report: take it over to write.', '{0} tiene este informe: asúmalo para escribir.'],
  ['This revision is not kept.', 'Esta revisión no se guarda.'],
  [
    'You are writing this report in another window: take it over to write here.',
    'Está redactando este informe en otra ventana: asúmalo para escribir aquí.',
  ],
  ['There is no such report.', 'No existe ese informe.'],
  ['The report is not one of the study.', 'El informe no es del estudio.'],
  ['The study is cancelled.', 'El estudio está cancelado.'],
  ['An addendum is active already.', 'Ya hay una adenda activa.'],
  ['The report is not completed.', 'El informe no está completado.'],
  ['The addendum is active.', 'La adenda está activa.'],
  ['No addendum is active.', 'No hay ninguna adenda activa.'],
  ['This addendum is completed.', 'Esta adenda está completada.'],
  ['The addendum is cancelled.', 'La adenda está cancelada.'],
  [
    'This link to a report does not open it: it has ended, or was changed. Ask for a new one.',
    'Este enlace a un informe no lo abre: ha caducado o se modificó. Pida otro.',
  ],
  ['There is no PDF of this report.', 'No hay PDF de este informe.'],
  ['The report is at {}, or on its way there.', 'El informe está en {0} o de camino.'],
  ['The report is queued for {}.', 'El informe está en cola para {0}.'],
  [
    'The report is not in the archive as DICOM objects yet: try again in a moment.',
    'El informe aún no está en el archivo como objetos DICOM: inténtelo de nuevo en un momento.',
  ],
  [
    'Reports are not kept as DICOM objects here: switch on reports.archiveCopies, and sign.',
    'Aquí los informes no se guardan como objetos DICOM: active reports.archiveCopies y firme.',
  ],
  [
    'The endpoint {} is switched off, since it answered 410. Enter its new address or switch it on again under Partner.',
    'El punto de conexión {0} está desactivado porque respondió 410. Indique su nueva dirección o actívelo de nuevo en Socio.',
  ],
  ['A signed report was delivered to the partner.', 'Un informe firmado se entregó al socio.'],
  ['A signed report was not delivered: {}.', 'Un informe firmado no se entregó: {0}.'],
  [
    'A signed report did not reach the partner and is tried again: {}.',
    'Un informe firmado no llegó al socio y se intenta de nuevo: {0}.',
  ],
  ['There is no text to sign.', 'No hay texto que firmar.'],
  [
    'The impression is empty: write it, or take the heading away.',
    'La impresión está vacía: escríbala o quite el encabezado.',
  ],
  ['There are findings, but no impression.', 'Hay hallazgos, pero no impresión.'],
  [
    'The patient is {}; the text speaks of “{}”.',
    'Sexo del paciente: {0}; el texto habla de «{1}».',
  ],
  [
    'The text speaks of {}, and the result is not marked as critical.',
    'El texto habla de «{0}», y el resultado no está marcado como crítico.',
  ],
  [
    'The result is marked as critical: say in a few words what was found.',
    'El resultado está marcado como crítico: diga en pocas palabras qué se encontró.',
  ],
  [
    'Since the report was begun the patient’s data changed: {}. Look whether it is the same patient.',
    'Desde que se empezó el informe cambiaron los datos del paciente: {0}. Compruebe si es el mismo paciente.',
  ],
  ['no endpoint is asked for it', 'no se pregunta a ningún punto de conexión por él'],
  ['the indication', 'la indicación'],
  ['the technique', 'la técnica'],
  ['no endpoint takes reports', 'ningún punto de conexión recibe informes'],
  ['its endpoint is switched off', 'su punto de conexión está desactivado'],
  ['its endpoint has no signing secret', 'su punto de conexión no tiene secreto de firma'],
  ['must not lie in the future', 'no debe estar en el futuro'],
  ['must be a time of day', 'debe ser una hora del día'],
  ['must not be that of another {}', 'no debe ser el de otra {0}'],
  ['must not be that of another template or macro', 'no debe ser el de otra plantilla o macro'],
  ['must not be less than ageFrom', 'no debe ser menor que ageFrom'],
  ['must be a report of the study that is named', 'debe ser un informe del estudio indicado'],
  [
    'must be a completed report: this one is a draft',
    'debe ser un informe completado: este es un borrador',
  ],
  ['the gateway is closing', 'la pasarela se está cerrando'],
  [
    '{} takes no storage commitment results on a connection that the gateway opens',
    '{0} no acepta resultados de confirmación de almacenamiento en una conexión que abre la pasarela',
  ],
  [
    '{} did not take the storage commitment result: status {}',
    '{0} no aceptó el resultado de la confirmación de almacenamiento: estado {1}',
  ],
  ['must name who was told', 'debe indicar a quién se informó'],
  ['must say what was found', 'debe decir qué se encontró'],
  [
    'must be letters, digits, _ . or -, at most 20',
    'debe tener letras, dígitos, _ . o -, como máximo 20',
  ],
  ['record number', 'el número de historia clínica'],
  ['1 prior report', '1 informe anterior'],
  ['{#} prior reports', '{0} informes anteriores'],
  [
    'The findings name the {} {}, the impression the {} {} only.',
    'Los hallazgos nombran «{0} {1}»; la impresión, solo «{2} {3}».',
  ],
  [
    'The request names the {} {}, the text the {} {} only.',
    'La petición nombra «{0} {1}»; el texto, solo «{2} {3}».',
  ],
  [
    'The study is of the left side; the text speaks of the right side only.',
    'El estudio es del lado izquierdo; el texto solo habla del lado derecho.',
  ],
  [
    'The study is of the right side; the text speaks of the left side only.',
    'El estudio es del lado derecho; el texto solo habla del lado izquierdo.',
  ],
  [
    'The findings speak of the left side only, the impression of the right side only.',
    'Los hallazgos solo hablan del lado izquierdo; la impresión, solo del derecho.',
  ],
  [
    'The findings speak of the right side only, the impression of the left side only.',
    'Los hallazgos solo hablan del lado derecho; la impresión, solo del izquierdo.',
  ],
  ['A field is not filled in: {}', 'Un campo está sin rellenar: {0}'],
  ['{#} fields are not filled in: {}', '{0} campos están sin rellenar: {1}'],
]
