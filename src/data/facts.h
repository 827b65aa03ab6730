/* Labels, names and schema as items of a bundle: the common part of dataset and model files. */
#ifndef DATA_FACTS_H
#define DATA_FACTS_H

#include "base/bundle.h"
#include "data/labels.h"
#include "data/names.h"
#include "data/schema.h"

/* Borrows the names, which may be millions: they must outlive the bundle. */
Status clv_facts_put(Bundle *bundle, const Labels *labels, const Names *names, const Schema *schema,
                     cleave_error *error);
/* Fills empty labels, names and schema. Fails with the name of the file if items are missing or
 * inconsistent. */
Status clv_facts_get(const Bundle *bundle, const char *file, Labels *labels, Names *names,
                     Schema *schema, cleave_error *error);

#endif
