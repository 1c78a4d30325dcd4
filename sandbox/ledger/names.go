package ledger

import "strings"

// bank is an institution of the arrangement: the name as in the acquirer fields, and the real ISPB.
// The sequences of its EndToEndIds are of a set. Those of hexadecimal digits make an id that is also a UUID without
// hyphens.
type bank struct{ name, ispb, sequence string }

// The tables below are constant.
var (
	banks = []bank{
		{"BANCO DO BRASIL", "00000000", letterSet},
		{"CAIXA ECONOMICA FEDERAL", "00360305", hexSet},
		{"BANCO INTER", "00416968", letterSet},
		{"NUBANK", "18236120", letterSet},
		{"C6 BANK", "31872495", letterSet},
		{"ITAU UNIBANCO", "60701190", letterSet},
		{"BRADESCO", "60746948", letterSet},
		{"SANTANDER", "90400888", letterSet},
	}

	firstNames = []string{
		"Ana", "Antônio", "Beatriz", "Caio", "Camila", "Cláudia", "Conceição", "Davi", "Eduarda", "Fábio",
		"Fernanda", "Francisco", "Gabriela", "Helena", "Heloísa", "Iara", "João", "José", "Júlia", "Larissa",
		"Lúcia", "Luís", "Marcos", "Maria", "Mariana", "Otávio", "Patrícia", "Paulo", "Raimundo", "Sebastião",
		"Simão", "Tainá", "Thaís", "Vinícius",
	}
	lastNames = []string{
		"Almeida", "Alves", "Araújo", "Barbosa", "Cardoso", "Carvalho", "Conceição", "Costa", "da Silva", "de Sá",
		"dos Santos", "Ferreira", "Gonçalves", "Guimarães", "Leão", "Lima", "Magalhães", "Melo", "Nascimento",
		"Oliveira", "Pereira", "Ribeiro", "Rocha", "Sant'Ana", "Simões", "Souza", "Teixeira", "Vasconcelos",
	}

	companies = []string{
		"Padaria Estrela do Sul Ltda", "Livraria Araucária ME", "Café da Praça & Filhos Ltda", "Oficina São Jorge EIRELI",
		"Cerâmica Três Irmãos S.A.", "Farmácia Boa Saúde Ltda", "Academia Maré Alta Ltda", "Floricultura Ipê Amarelo ME",
		"Mercearia Bom Preço Ltda", "Estúdio Jaçanã de Música Ltda", "Pousada Recanto das Águas S.A.", "Sapataria Pé Leve ME",
	}

	cities = []city{
		{"São Paulo", "SP", "São Paulo", "11", "01"}, {"Rio de Janeiro", "RJ", "Rio de Janeiro", "21", "20"},
		{"Belo Horizonte", "MG", "Minas Gerais", "31", "30"}, {"Salvador", "BA", "Bahia", "71", "40"},
		{"Recife", "PE", "Pernambuco", "81", "50"}, {"Fortaleza", "CE", "Ceará", "85", "60"},
		{"Belém", "PA", "Pará", "91", "66"}, {"Manaus", "AM", "Amazonas", "92", "69"},
		{"Brasília", "DF", "Distrito Federal", "61", "70"}, {"Goiânia", "GO", "Goiás", "62", "74"},
		{"Curitiba", "PR", "Paraná", "41", "80"}, {"Florianópolis", "SC", "Santa Catarina", "48", "88"},
		{"Porto Alegre", "RS", "Rio Grande do Sul", "51", "90"}, {"Maceió", "AL", "Alagoas", "82", "57"},
	}

	streets = []string{
		"Rua das Laranjeiras", "Avenida Sete de Setembro", "Rua São João", "Travessa do Comércio", "Alameda dos Ipês",
		"Rua XV de Novembro", "Avenida Getúlio Vargas", "Rua Padre Anchieta", "Praça da Sé", "Rua Ouvidor Peleja",
	}
	neighborhoods = []string{"Centro", "Boa Vista", "Jardim América", "Vila Nova", "São José", "Santa Efigênia", "Água Verde"}
	complements   = []string{"Apto 42", "Bloco B, apto 1203", "Casa 2", "Fundos", "Sala 7 – 3º andar", "Loja \"A\""}

	products = []string{
		"Pão de queijo (pacote 1 kg)", "Camiseta algodão M", "Curso de violão – módulo 1", "Café torrado 500 g",
		"Tênis de corrida 41", "Livro \"Dom Casmurro\"", "Assinatura mensal", "Vaso de cerâmica", "Kit 3x toalhas",
		"Troca de óleo 5W-30", "Bolo de fubá", "Diária casal", "Buquê de girassóis 🌻",
	}

	// mailDomains are reserved for examples; no mail is delivered there.
	mailDomains = []string{"example.com", "example.org", "example.com.br"}
)

// city is the city of a party: its name, its state short and in full, its
// telephone area code and the first two digits of its postal codes.
type city struct{ name, uf, state, area, zip string }

var accents = strings.NewReplacer(
	"á", "a", "â", "a", "ã", "a", "é", "e", "ê", "e", "í", "i", "ó", "o", "ô", "o", "õ", "o", "ú", "u", "ç", "c", "Á", "A", "É", "E",
)

// ascii removes the accents of Portuguese text, for fields that accept only ASCII.
func ascii(s string) string { return accents.Replace(s) }

// slug is a name as used in addresses: lower-case letters and hyphens.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(ascii(name)), func(r rune) bool { return r < 'a' || r > 'z' })
	return strings.Join(words, "-")
}
