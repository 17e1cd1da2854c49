-- Makes pg_temp.schema_text(), which gives the schema of a database as text, for deploy/make-schema
-- and its test. Parts come in the order in which the migrations made them.

-- A literal of lines that are no longer than a hundred characters.
CREATE FUNCTION pg_temp.wrapped(description text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  lines text[] := '{}';
  line text := '';
  word text;
BEGIN
  FOREACH word IN ARRAY string_to_array(description, ' ') LOOP
    IF length(quote_literal(line || word)) > 95 THEN
      lines := lines || quote_literal(line);
      line := '';
    END IF;
    line := line || word || ' ';
  END LOOP;
  RETURN array_to_string(lines || quote_literal(rtrim(line)), E'\n  ');
END
$$;

CREATE FUNCTION pg_temp.comments(of_class regclass, of_object oid, kind text, named text)
RETURNS text
LANGUAGE sql AS $$
  SELECT coalesce(string_agg(
    format(E'COMMENT ON %s IS\n  %s;\n',
      CASE d.objsubid WHEN 0 THEN kind || ' ' || named
        ELSE 'COLUMN ' || named || '.' || (SELECT a.attname FROM pg_attribute AS a
          WHERE a.attrelid = of_object AND a.attnum = d.objsubid) END,
      pg_temp.wrapped(d.description)), '' ORDER BY d.objsubid), '')
  FROM pg_description AS d WHERE d.classoid = of_class AND d.objoid = of_object
$$;

CREATE FUNCTION pg_temp.columns(of_table oid) RETURNS SETOF text
LANGUAGE sql AS $$
  SELECT concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
      WHEN a.attgenerated = 's' THEN format('GENERATED ALWAYS AS (%s) STORED', v.value)
      WHEN v.value IS NOT NULL THEN 'DEFAULT ' || v.value END,
    CASE WHEN a.attnotnull THEN 'NOT NULL' END)
  FROM pg_attribute AS a
  LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LEFT JOIN LATERAL (SELECT pg_get_expr(d.adbin, d.adrelid) AS value) AS v ON true
  WHERE a.attrelid = of_table AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attnum
$$;

CREATE FUNCTION pg_temp.of_table(of_table pg_class) RETURNS text
LANGUAGE sql AS $$
  SELECT format('CREATE TABLE %s', of_table.relname)
    || CASE WHEN of_table.relispartition THEN (SELECT format(' PARTITION OF %s %s',
        inhparent::regclass, pg_get_expr(of_table.relpartbound, of_table.oid))
        FROM pg_inherits WHERE inhrelid = of_table.oid)
      ELSE format(E' (\n  %s\n)', array_to_string(ARRAY(
        SELECT pg_temp.columns(of_table.oid)) || ARRAY(
        SELECT format('CONSTRAINT %s %s', conname, pg_get_constraintdef(oid)) FROM pg_constraint
        WHERE conrelid = of_table.oid AND contype IN ('p', 'u', 'c') ORDER BY contype DESC, conname
        ), E',\n  ')) END
    || coalesce(' PARTITION BY ' || pg_get_partkeydef(of_table.oid), '')
    || coalesce(E' WITH (\n  ' || array_to_string(of_table.reloptions, E',\n  ') || E'\n)', '')
    || E';\n'
    || coalesce((SELECT string_agg(format(E'ALTER TABLE %s ALTER COLUMN %s SET STORAGE %s;\n',
        of_table.relname, attname, CASE attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL'
        WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END), '' ORDER BY attnum)
      FROM pg_attribute JOIN pg_type AS t ON t.oid = atttypid
      WHERE attrelid = of_table.oid AND attnum > 0 AND NOT attisdropped
        AND attstorage <> t.typstorage), '')
    || coalesce((SELECT string_agg(replace(replace(
        pg_get_indexdef(indexrelid), ' ON public.', ' ON '), ' USING btree', '') || E';\n', '' ORDER BY indexrelid)
      FROM pg_index WHERE indrelid = of_table.oid AND NOT of_table.relispartition
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)), '')
    || pg_temp.comments('pg_class', of_table.oid, 'TABLE', of_table.relname)
$$;

-- The rows that a new database has, null if none. A time is the time at which they are made.
CREATE FUNCTION pg_temp.rows_of(of_table regclass) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  names text[] := ARRAY(SELECT attname::text FROM pg_attribute
    WHERE attrelid = of_table AND attnum > 0 AND NOT attisdropped ORDER BY attnum);
  parts text;
  made text;
BEGIN
  SELECT string_agg(CASE WHEN atttypid = 'timestamptz'::regtype
      THEN format('CASE WHEN %I IS NULL THEN ''NULL'' ELSE ''now()'' END', attname)
    ELSE format('quote_nullable(%I::text)', attname) END, ' || '', '' || ' ORDER BY attnum)
  INTO parts FROM pg_attribute WHERE attrelid = of_table AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('SELECT string_agg(''('' || %s || '')'', E'',\n  '' ORDER BY t) FROM %s AS t',
    parts, of_table) INTO made;
  RETURN CASE WHEN made IS NOT NULL THEN
    format(E'INSERT INTO %s (%s) VALUES\n  %s;\n', of_table, array_to_string(names, ', '), made) END;
END
$$;

CREATE FUNCTION pg_temp.schema_text() RETURNS text
LANGUAGE sql AS $text$
  SELECT ltrim(replace(replace(string_agg(part, E'\n' ORDER BY kind, number),
    'timestamp with time zone', 'timestamptz'), '$function$', '$$'), E'\n') FROM (
    SELECT 0 AS kind, 0::oid AS number, $head$
-- The whole schema, for PostgreSQL 14 or newer, as all migrations of deploy/migrations together
-- make it. deploy/make-schema wrote this file for readers, and a test compares the two. Nothing runs
-- it: a new database gets the migrations.
--
-- Names are looked up in the session's search path. Instants are stored with microseconds, ids as
-- uuid, keys and hashes as bytea.
--
-- There are no foreign keys: one version guard covers each batch that writes, and `cubistd check`
-- compares everything with the record. Only entries, replies, players and codes cannot be made
-- again: the rest is derived from the entries.

SET check_function_bodies = off;
$head$ AS part
    UNION ALL
    SELECT 1, c.oid, pg_temp.of_table(c) FROM pg_class AS c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT 5, c.oid, format(E'CREATE VIEW %s AS\n%s\n', c.relname, pg_get_viewdef(c.oid, true))
      || pg_temp.comments('pg_class', c.oid, 'VIEW', c.relname)
    FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'
    UNION ALL
    SELECT 2, c.oid, format(E'CREATE TYPE %s AS (\n  %s\n);\n', c.relname,
      array_to_string(ARRAY(SELECT pg_temp.columns(c.oid)), E',\n  '))
    FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'c'
    UNION ALL
    SELECT 3, p.oid, rtrim(regexp_replace(pg_get_functiondef(p.oid),
        '^CREATE OR REPLACE FUNCTION public\.', 'CREATE FUNCTION '), E'\n') || E';\n'
      || pg_temp.comments('pg_proc', p.oid, 'FUNCTION', p.oid::regprocedure::text)
    FROM pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace
    UNION ALL
    SELECT 6, t.oid, pg_get_triggerdef(t.oid, true) || E';\n' FROM pg_trigger AS t
    JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
    UNION ALL
    SELECT 7, c.oid, pg_temp.rows_of(c.oid) FROM pg_class AS c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
  ) AS parts
$text$;
