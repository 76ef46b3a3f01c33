import type { Sentence } from '../catalogue.ts'

/** Corrections of the identity of images. */
export const CORRECTIONS: readonly Sentence[] = [
  [
    'An attribute of its patient or its study cannot be read.',
    'No se puede leer un atributo de su paciente o de su estudio.',
  ],
  ['It ends within an element.', 'Termina dentro de un elemento.'],
  ['Its sequences are too deep.', 'Sus secuencias tienen demasiados niveles.'],
  ['It has too many elements.', 'Tiene demasiados elementos.'],
  [
    'The identity of the image of this UID was corrected here; this one has other content than its original.',
    'La identidad de la imagen con este UID se corrigió aquí; esta tiene otro contenido que su original.',
  ],
  [
    'The file of an image of this study cannot be read.',
    'No se puede leer el archivo de una imagen de este estudio.',
  ],
  [
    'Nothing would change: the images already have these values.',
    'No cambiaría nada: las imágenes ya tienen estos valores.',
  ],
  [
    'Some of the selected images are no longer in the study.',
    'Algunas de las imágenes elegidas ya no están en el estudio.',
  ],
  [
    'A correction of these images is in progress: wait until it has finished.',
    'Hay una corrección de estas imágenes en curso: espere a que termine.',
  ],
  [
    'The gateway is stopping. Nothing was changed.',
    'La pasarela se está deteniendo. No se ha cambiado nada.',
  ],
  [
    'A correction of images, or its undo, failed. Nothing was changed: repeat it.',
    'Una corrección de imágenes, o su anulación, ha fallado. No se ha cambiado nada: repítala.',
  ],
  [
    'Another version of these images was found and is in quarantine: decide there which one is right.',
    'Se encontró otra versión de estas imágenes y está en cuarentena: decida allí cuál es la correcta.',
  ],
  [
    'It is a corrected copy of an image that is here, or its original, and the correction is not recorded here. Release it to show it in place of the other, which is kept; discard it if the correction was undone.',
    'Es una copia corregida de una imagen que está aquí, o su original, y la corrección no consta aquí. Libérela para mostrarla en lugar de la otra, que se conserva; descártela si la corrección se deshizo.',
  ],
  [
    '{} {} set aside: corrected copies, or their originals, without a record of the correction in the database that was put back. No report of these studies is signed until somebody decides which version is right.',
    'En cuarentena: {0} {1}. Son copias corregidas, o sus originales, sin constancia de la corrección en la base de datos que se restauró. No se firma ningún informe de estos estudios hasta que alguien decida qué versión es la correcta.',
  ],
  ['No image is chosen.', 'No se ha elegido ninguna imagen.'],
  ['There are no images to correct.', 'No hay imágenes que corregir.'],
  [
    'All images of the study are chosen: reassign the study instead.',
    'Se han elegido todas las imágenes del estudio: traslade el estudio entero.',
  ],
  ['This order or study no longer exists here.', 'Esta petición o este estudio ya no existe aquí.'],
  [
    'Correcting patient details keeps the images in their study: reassign them to move them.',
    'Al corregir los datos del paciente, las imágenes siguen en su estudio: para moverlas, trasládelas.',
  ],
  ['The images are in this study already.', 'Las imágenes ya están en este estudio.'],
  [
    'Images are merged only into a study that has images.',
    'Las imágenes solo se unen a un estudio que tiene imágenes.',
  ],
  [
    'The Study Instance UID of the target is not a valid DICOM UID.',
    'El Study Instance UID del destino no es un UID de DICOM válido.',
  ],
  ['A patient needs a name or an ID.', 'Un paciente necesita un nombre o un identificador.'],
  ['The {} of the target does not fit into an image.', 'En una imagen no cabe {0} del destino.'],
  ['patient name', 'el nombre del paciente'],
  ['accession number', 'el número de acceso'],
  [
    'There is too little disk space for the corrected copies.',
    'No hay espacio suficiente en el disco para las copias corregidas.',
  ],
  [
    'The study is still receiving images: later ones are not corrected.',
    'El estudio aún recibe imágenes: las posteriores no se corrigen.',
  ],
  ['The target study is still receiving images.', 'El estudio de destino aún recibe imágenes.'],
  ['A report of the study is being written.', 'Se está redactando un informe del estudio.'],
  [
    'The images that are in the target study already name another patient.',
    'Las imágenes que ya están en el estudio de destino nombran a otro paciente.',
  ],
  [
    'A report of the target study is signed already: it will need an addendum, and everyone who received it must be informed.',
    'Ya se firmó un informe del estudio de destino: requerirá una adenda, y habrá que informar a todos los que lo recibieron.',
  ],
  ['The order is for {}, and the images are {}.', 'La petición es de {0}, y las imágenes son {1}.'],
  ['of another kind', 'de otro tipo'],
  [
    'Documents among the images may show the patient in their text, which is not changed.',
    'Entre las imágenes hay documentos cuyo texto puede mostrar al paciente; ese texto no se cambia.',
  ],
  [
    'Captures among the images may show the patient in their pixels, which are not changed.',
    'Entre las imágenes hay capturas cuyos píxeles pueden mostrar al paciente; esos píxeles no se cambian.',
  ],
  ['An image cannot be corrected: {}', 'No se puede corregir una imagen: {0}'],
  [
    'An image cannot be corrected: its copy could not be read back.',
    'No se puede corregir una imagen: su copia no se pudo releer.',
  ],
  [
    'The corrected copies could not be written to the disk. Nothing was changed.',
    'Las copias corregidas no se pudieron escribir en el disco. No se cambió nada.',
  ],
  ['It was undone already.', 'Ya se deshizo.'],
  [
    'It undid another correction: correct the images again instead.',
    'Deshizo otra corrección: corrija de nuevo las imágenes.',
  ],
  [
    'Images received after the backup are still being checked: sign when that has finished.',
    'Aún se comprueban las imágenes recibidas después de la copia de seguridad: firme cuando termine la comprobación.',
  ],
  [
    'A report was signed with the corrected images.',
    'Se firmó un informe con las imágenes corregidas.',
  ],
  [
    'Since the correction, a report of the study that the images were taken from was signed.',
    'Después de la corrección se firmó un informe del estudio de origen de las imágenes.',
  ],
  [
    'Since the correction, images were linked to the order {}: undo that on Reconcile first.',
    'Después de la corrección se enlazaron imágenes con la petición {0}: deshaga eso primero en Conciliar.',
  ],
  [
    'Several versions of an image are in quarantine and none was made from another: look at each, and release or discard it by itself.',
    'En cuarentena hay varias versiones de una imagen y ninguna se hizo a partir de otra: revise cada una y libérela o descártela por separado.',
  ],
  [
    'The corrected images have since been corrected again, set aside or replaced.',
    'Desde entonces hay imágenes corregidas que se volvieron a corregir, se apartaron o se sustituyeron.',
  ],
  [
    'A correction of images was interrupted when the gateway stopped. Nothing was changed: repeat the correction.',
    'Una corrección de imágenes se interrumpió al detenerse la pasarela. No se cambió nada: repita la corrección.',
  ],
  [
    'Its identity was corrected: a corrected copy is shown.',
    'Su identidad se corrigió: se muestra una copia corregida.',
  ],
  ['The correction that made it was undone.', 'La corrección que la creó se deshizo.'],
  ['There is no such correction.', 'No existe esa corrección.'],
  [
    'The images or the target have changed since this preview: check it again.',
    'Las imágenes o el destino han cambiado desde esta vista previa: vuelva a comprobarla.',
  ],
  [
    'The identity of this image was corrected, and its corrected copy is shown: undo the correction to show it again.',
    'La identidad de esta imagen se corrigió y se muestra su copia corregida: deshaga la corrección para volver a mostrarla.',
  ],
  ['Not needed: the correction was undone.', 'No es necesario: la corrección se deshizo.'],
  ['Changed meanwhile', 'Ha cambiado entretanto'],
]
