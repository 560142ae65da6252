DROP INDEX IF EXISTS dead_letters_group
