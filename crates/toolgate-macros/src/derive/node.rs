//! The model of a node, and its code.
//!
//! The code is one constant expression of borrowed literals, which the compiler places in static memory.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Type, spanned::Spanned};

use crate::attributes::Annotations;

/// A node with its annotations.
pub(crate) struct Model {
    /// What the node accepts.
    pub(crate) shape: Shape,
    /// Text for its reader; it wins over the text of the type in [`Shape::Of`].
    pub(crate) annotations: Annotations,
}

/// What a node accepts.
pub(crate) enum Shape {
    /// What the type says.
    Of(Box<Type>),
    /// Any text, or exactly one of these.
    Values(Vec<String>),
    /// Exactly this text.
    Literal(String),
    /// Null.
    Null,
    /// An object.
    Object {
        /// The declared properties, in order.
        properties: Vec<PropertyModel>,
        /// Whether other keys are accepted.
        open: bool,
    },
    /// Exactly one of the branches.
    OneOf(Vec<Model>),
    /// Any JSON.
    Any,
}

/// One declared property.
pub(crate) struct PropertyModel {
    /// The key in JSON.
    pub(crate) name: String,
    /// What the value must be. The description is that of the property.
    pub(crate) value: Model,
    /// Whether the key must be present.
    pub(crate) required: bool,
}

impl PropertyModel {
    /// A property that is always present and has no description of its own.
    pub(crate) fn required(name: String, shape: Shape) -> Self {
        Self { name, value: Model { shape, annotations: Annotations::default() }, required: true }
    }

    fn tokens(&self, root: &TokenStream) -> TokenStream {
        let Self { name, value, required } = self;
        let description = option(value.annotations.description.as_deref());
        let node = value.undescribed(root);
        quote!(#root::Property { name: #name, node: #node, description: #description, required: #required })
    }
}

impl Model {
    /// A node without limits, the stand-in of an item with mistakes.
    pub(crate) fn any() -> Self {
        Self { shape: Shape::Any, annotations: Annotations::default() }
    }

    /// The expression of type `&'static Node`.
    pub(crate) fn tokens(&self, root: &TokenStream) -> TokenStream {
        self.annotated(root, self.annotations.description.as_deref())
    }

    /// The expression without the description, which a property says itself.
    fn undescribed(&self, root: &TokenStream) -> TokenStream {
        self.annotated(root, None)
    }

    fn annotated(&self, root: &TokenStream, description: Option<&str>) -> TokenStream {
        let title = self.annotations.title.as_deref();
        if let Shape::Of(described) = &self.shape {
            let inner = quote_spanned!(described.span()=> <#described as #root::Schema>::NODE);
            if description.is_none() && title.is_none() {
                return inner;
            }
            let description =
                description.map(|text| quote!(description: ::core::option::Option::Some(#text),));
            let title = title.map(|text| quote!(title: ::core::option::Option::Some(#text),));
            return quote!(&#root::Node { #description #title ..*#inner });
        }
        let kind = self.shape.kind(root);
        let (description, title) = (option(description), option(title));
        quote!(&#root::Node { kind: #kind, description: #description, title: #title })
    }
}

impl Shape {
    fn kind(&self, root: &TokenStream) -> TokenStream {
        match self {
            Self::Of(described) => quote!(<#described as #root::Schema>::NODE.kind),
            Self::Values(values) => {
                quote!(#root::NodeKind::String { values: ::core::option::Option::Some(&[#(#values),*]) })
            }
            Self::Literal(text) => quote!(#root::NodeKind::Literal(#text)),
            Self::Null => quote!(#root::NodeKind::Null),
            Self::Object { properties, open } => {
                let properties = properties.iter().map(|property| property.tokens(root));
                quote!(#root::NodeKind::Object { properties: &[#(#properties),*], additional_properties: #open })
            }
            Self::OneOf(branches) => {
                let branches = branches.iter().map(|branch| branch.tokens(root));
                quote!(#root::NodeKind::OneOf(&[#(#branches),*]))
            }
            Self::Any => quote!(#root::NodeKind::Json),
        }
    }
}

fn option(text: Option<&str>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}
